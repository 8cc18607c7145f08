// NotLists: the table.
#include "vm/repro/not_lists.hpp"

#include <fnmatch.h>

namespace zcrxlab {

namespace {

constexpr std::string_view kRights = "the rights and limits of processes are changed";
constexpr std::string_view kXdp = "XDP programs and AF_XDP sockets take a queue";
constexpr std::string_view kSteering = "flow rules and RSS are changed by hand";
constexpr std::string_view kPackets = "packets are sent that are no TCP stream's";
constexpr std::string_view kSegments = "TCP segments are made by hand";
constexpr std::string_view kRaw =
    "structures of other calls than a registration are filled by hand";
constexpr std::string_view kMemory = "what is wrong is memory, which no field of a structure says";
constexpr std::string_view kOthers = "another subsystem takes the data or the interface";

constexpr NotAList kNotLists[] = {
    {"registration.*net_admin", kRights},
    {"registration.above_memlock", kRights},
    {"registration.ring_of_another_task", "one task uses the ring of another"},
    {"registration.xdp_there", kXdp},
    {"registration.single_buffer_xdp_there*", kXdp},
    {"registration.xsk_there", kXdp},
    {"steering.x*", kXdp},
    {"steering.r*", kSteering},
    {"steering.late_rule", kSteering},
    {"steering.stray*", kPackets},
    {"steering.vlan", kPackets},
    {"device.udp*", kPackets},
    {"device.vlan", kPackets},
    {"device.rss*", kSteering},
    {"cqe32.refused*", kRaw},
    {"cqe32.wrong_socket*", kRaw},
    {"control.refused*", kRaw},
    {"control.import_*", kRaw},
    {"control.query", kRaw},
    {"tcp.trailing_bytes*", kSegments},
    {"areas.dmabuf*", "areas are dmabufs of other drivers"},
    {"areas.unmapped_while_registered", kMemory},
    {"neighbours.*", kOthers},
    {"baseline.*", "zero-copy receive is not used"},
};

}  // namespace

std::span<const NotAList> not_lists() {
    return kNotLists;
}

std::string_view why_no_list(const std::string& test) {
    for (const NotAList& row : kNotLists)
        if (::fnmatch(std::string(row.tests).c_str(), test.c_str(), 0) == 0) return row.why;
    return {};
}

}  // namespace zcrxlab
