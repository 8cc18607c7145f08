// Texts of /proc and messages about routes of any content: an answer, nothing else.
//
// reaches harness/lab/facts.cpp: if (server.empty()) {
// reaches harness/lab/facts.cpp: addresses.push_back(address);
// reaches harness/lab/facts.cpp: if (words.size() == 4) machine.connections
// reaches 35 % of harness/net/routes.cpp
#include <string_view>

#include "harness/lab/facts.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)connected_addresses(text);
    (void)network_mounts(text);
    MachineFacts machine;
    add_ssh_session(machine, text);
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    if (const auto route = decode_route({24, 0, 1, {bytes, bytes + size}})) {
        (void)to_text(*route);
        (void)route_to({*route}, "192.0.2.1");
        (void)overlaps(*route, "fd00::", 64);
    }
    return 0;
}
