// BnxtConfig: what one emulated bnxt NIC is made with.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "nic/forbidden.hpp"
#include "nic/mutation.hpp"

namespace zcrxlab::nic {

struct BnxtConfig {
    std::array<uint8_t, 6> mac = {0x02, 0, 0, 0, 0, 1};
    uint16_t max_mtu = 9000;              // bytes behind the Ethernet header
    Mutation mutation = Mutation::kNone;  // of those that are a model's own
    // Told of every refused command, and of rings that the device gives up, as one sentence without
    // a line end. Never called for each packet.
    std::function<void(std::string_view)> log = nullptr;
    TellForbidden forbidden = nullptr;
};

}  // namespace zcrxlab::nic
