// Makes a situation around the program's own client: it sends, and the NIC and we do the rest.
#pragma once

#include <cstdint>

#include "harness/conform/peer_account.hpp"
#include "harness/conform/situation.hpp"
#include "vm/guest/conform/client.hpp"

namespace zcrxlab {

// All of it, for a program that listens on `port`, or on any if that is 0. What kept it from being
// made is in the account.
PeerAccount make_with_client(const Situation& situation, uint16_t port, const ClientOrder& client);

}  // namespace zcrxlab
