// NotLists: has a row for each group of scenarios that no list can do again.
#include "lists/from_trace/not_lists.hpp"

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
constexpr std::string_view kAnswers = "the kernel has nowhere to write its answer to";
constexpr std::string_view kCounters = "counters are compared with what was received";
constexpr std::string_view kNone = "zero-copy receive is not used";
constexpr std::string_view kFeatures = "features of the NIC (ethtool -K) are switched";
constexpr std::string_view kOptions = "options of the peer's socket make its headers longer";
constexpr std::string_view kAnotherProcess = "another process receives, which no line begins";
constexpr std::string_view kOwnLoop = "a stream is received by a loop of its own";
constexpr std::string_view kOthers = "another subsystem takes the data or the interface";

constexpr NotAList kNotLists[] = {
    {"registration.*net_admin", kRights},
    {"registration.above_memlock", kRights},
    {"registration.ring_of_another_task", "one task uses the ring of another"},
    {"registration.refused/area_unmapped", kMemory},
    {"registration.refused/area_read_only", kMemory},
    {"registration.answer_unwritable*", kAnswers},
    {"registration.xdp_there", kXdp},
    {"registration.single_buffer_xdp_there*", kXdp},
    {"registration.xsk_there", kXdp},
    {"steering.x*", kXdp},
    {"steering.r*", kSteering},
    {"steering.late_rule", kSteering},
    {"steering.stray*", kPackets},
    {"steering.vlan", kPackets},
    {"device.receive_checksum", kNone},
    {"device.statistics", kNone},
    {"device.udp*", kPackets},
    {"device.vlan", kPackets},
    {"device.rss*", kSteering},
    {"device.reset", "it is the peer's device that is reset"},
    {"device.offload*", kFeatures},
    {"header_split.options*", kOptions},
    {"header_split.too_long", kOptions},
    {"header_split.shape*", kFeatures},
    {"concurrency.dispatch*", kSteering},
    {"concurrency.other_ring", "a request is made on a ring that the stream is not for"},
    {"concurrency.two_processes", kAnotherProcess},
    {"concurrency.import_in_another_process", kAnotherProcess},
    {"cqe32.refused/fixed_buffer", kRaw},
    {"cqe32.refused/zero_copy_report", kRaw},
    {"cqe32.refused/bundle", kRaw},
    {"cqe32.refused/unknown_ifq", "an id is asked for that is one above the ifq's"},
    {"cqe32.two_requests", "a stream has two requests at once"},
    {"cqe32.wrong_socket*", "a request is made on a socket that is no stream's"},
    {"control.refused*", kRaw},
    {"control.import_receives", kOwnLoop},
    {"control.outlives_exporter", kOwnLoop},
    {"control.import_tells_geometry", "what an import writes back is compared"},
    {"control.import_with*", kRaw},
    {"control.query", kRaw},
    {"control.add_area_*", kRaw},
    {"control.*_unwritable", kAnswers},
    {"control.export_without_descriptor", kRights},
    {"tcp.trailing_bytes*", kSegments},
    {"tcp.reset/*", kSegments},
    {"tcp.urgent", kSegments},
    {"tcp.peer_vanishes*", "options of the socket say when TCP gives a peer up"},
    {"device.prompt", "each of many writes is received before the next one"},
    {"copy_fallback.copy_count", kCounters},
    {"copy_fallback.copy_bytes_of_linear_data", kCounters},
    {"refill.one_too_many", "an entry too many lies right behind that of every fourth buffer"},
    {"areas.dmabuf*", "areas are dmabufs of other drivers"},
    {"areas.unmapped_while_registered", kMemory},
    {"teardown.charge*", kRights},
    {"teardown.*reset*", kSteering},
    {"teardown.killed*", kAnotherProcess},
    {"neighbours.*", kOthers},
    {"baseline.*", kNone},
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
