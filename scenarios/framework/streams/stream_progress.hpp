// Stream progress: sentences about a stream that did not come as far as it should.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/ring/receiver.hpp"

namespace zcrxlab {

// "CLOSE POLLIN POLLHUP", as TCP and poll have it, or "gone": a request that waits although its
// socket has come to an end was not woken.
std::string state_of_socket(int socket);
// "its socket is CLOSE POLLIN POLLHUP".
std::string socket_state(int socket);

// "stream 1 has 500 of the 900 bytes that the peer's socket took, data waits in its socket, armed,
// last final result 0, its socket is ESTABLISHED". `sent` nothing: it is not known.
std::string progress_of(const StreamState& state, std::optional<uint64_t> sent);

}  // namespace zcrxlab
