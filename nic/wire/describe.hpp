// describe: a packet's headers as words for people.
#pragma once

#include <string>

#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

// "TCP 10.0.0.1:40000 > 10.0.0.2:5201 [AP] sequence 1 length 1448".
std::string describe(const ParsedHeaders& headers);

}  // namespace zcrxlab::nic
