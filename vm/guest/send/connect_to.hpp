// A TCP connection to a receiver, for those that send.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// `family` is 4 or 6, `address` one of it. EINVAL for an address that is none, else what connect()
// says.
Result<Fd> connect_to(const std::string& address, uint8_t family, uint16_t port);

}  // namespace zcrxlab
