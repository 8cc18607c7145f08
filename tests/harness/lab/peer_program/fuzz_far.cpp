// What another machine says, of any content: a port, frames, or an error.
//
// reaches 70 % of harness/lab/far/frame_stream.cpp
// reaches harness/lab/peer_program/own_ports.cpp: if (!from_hex(std::string_view(network).substr(
// reaches harness/lab/peer_program/own_ports.cpp: route.network.push_back(std::byte(byte));
#include <cstdlib>
#include <string_view>

#include "harness/lab/far/frame_stream.hpp"
#include "harness/lab/far/ssh_peer.hpp"
#include "harness/lab/peer_program/own_ports.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto port = far_port_from(text); port && *port) {
        const auto again = far_port_from(to_text(**port));
        if (!again || !*again || **again != **port) std::abort();
    }
    if (const auto place = peer_place(text); place && place->host.starts_with('-')) std::abort();
    PortFacts port;
    port.interface = "eno1";
    port.ifindex = 2;
    const size_t half = size / 2;
    for (const Route& route : routes_in_text(text.substr(0, half), text.substr(half), {port}))
        (void)to_text(route);
    // In two parts, wherever that cuts.
    FrameReader reader;
    const auto bytes = std::as_bytes(std::span(data, size));
    for (const auto part : {bytes.first(half), bytes.subspan(half)}) {
        reader.feed(part);
        for (;;) {
            const auto frame = reader.next();
            if (!frame) return 0;
            if (!*frame) break;
            std::vector<std::byte> tagged((*frame)->begin(), (*frame)->end());
            put_tag_back(tagged, 0x8100, 1);
        }
    }
    return 0;
}
