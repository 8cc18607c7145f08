// Reads the log's writes of one stream, by queue.
#include "scenarios/framework/surroundings/placement.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include "harness/ring/area.hpp"

namespace zcrxlab {

namespace {

using GetName = int (*)(int, sockaddr*, socklen_t*);

uint16_t port_by(Scene& scene, GetName get_name, int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (get_name(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        scene.give_up(error_from_errno("ask for the port of a socket").sentence);
    // The port lies at the same place in both families.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

uint16_t local_port(Scene& scene, int socket) {
    return port_by(
        scene, [](int s, sockaddr* a, socklen_t* n) { return ::getsockname(s, a, n); }, socket);
}

uint16_t peer_port(Scene& scene, int socket) {
    return port_by(
        scene, [](int s, sockaddr* a, socklen_t* n) { return ::getpeername(s, a, n); }, socket);
}

namespace {

// Takes the log into the trace; the initial sequence number of each flow to the socket.
std::map<uint32_t, uint32_t> flows_to(Scene& scene, int socket, DmaWrites& log) {
    const uint16_t port = local_port(scene, socket);
    log = scene.must(scene.target().take_dma_log());
    scene.trace().add(log);
    std::map<uint32_t, uint32_t> initial;
    for (const DmaLogFlow& flow : log.flows)
        if (flow.destination_port.get() == port && flow.has_syn != 0)
            initial[flow.flow.get()] = flow.initial_sequence.get();
    return initial;
}

}  // namespace

uint64_t Placement::way_of(uint32_t queue, bool split_from_headers) {
    // No NIC of ours has more than 16 queues; those above share a bit.
    return uint64_t{1} << (std::min(queue, 31U) * 2 + (split_from_headers ? 1 : 0));
}

uint64_t Placement::never_split_on(uint32_t queue) const {
    const uint64_t wanted = way_of(queue, true);
    return static_cast<uint64_t>(std::ranges::count_if(
        ways, [wanted](uint64_t way) { return way != 0 && (way & wanted) == 0; }));
}

CopiesExpected Placement::copies_for(uint32_t ifq, uint32_t queue) const {
    const uint64_t wanted = way_of(queue, true);
    const auto undecided = std::ranges::count_if(
        ways, [wanted](uint64_t way) { return (way & wanted) != 0 && way != wanted; });
    return {ifq, never_split_on(queue), static_cast<uint64_t>(undecided)};
}

Placement placement_of(Scene& scene, int socket, uint64_t bytes) {
    DmaWrites log;
    const std::map<uint32_t, uint32_t> initial = flows_to(scene, socket, log);

    Placement placement;
    placement.ways.resize(bytes);
    for (const DmaLogEntry& entry : log.entries) {
        const auto flow = initial.find(entry.flow.get());
        if (flow == initial.end() || entry.kind == DmaKind::kHeader) continue;
        const bool unsplit = entry.kind == DmaKind::kUnsplit;
        const uint32_t headers = unsplit ? entry.payload_offset.get() : 0;
        if (headers != 0) placement.unsplit_at.push_back(entry.address);
        if (entry.length.get() <= headers) continue;
        const uint64_t from = entry.tcp_sequence.get() - flow->second - 1;
        const uint64_t to = std::min(bytes, from + entry.length.get() - headers);
        uint64_t& count =
            (unsplit ? placement.unsplit : placement.split)[uint32_t{entry.queue.get()}];
        const uint64_t way = Placement::way_of(uint32_t{entry.queue.get()}, !unsplit);
        for (uint64_t at = from; at < to; ++at) {
            if (placement.ways[at] == 0) ++count;
            placement.ways[at] |= way;
        }
    }
    return placement;
}

bool lies_outside_areas(Scene& scene, const std::vector<uint64_t>& addresses) {
    std::set<uint64_t> pages;
    for (const uint64_t address : addresses) pages.insert(address / kPageSize * kPageSize);
    for (const Event& event : scene.trace().events_so_far()) {
        const auto* area = std::get_if<AreaRegistered>(&event.body);
        if (area != nullptr &&
            std::ranges::any_of(area->pages, [&](uint64_t page) { return pages.contains(page); }))
            return false;
    }
    return !pages.empty();
}

std::vector<std::vector<uint32_t>> split_packets_of(Scene& scene, int socket) {
    DmaWrites log;
    const std::map<uint32_t, uint32_t> initial = flows_to(scene, socket, log);
    std::map<uint64_t, std::vector<uint32_t>> packets;
    for (const DmaLogEntry& entry : log.entries)
        if (entry.kind == DmaKind::kPayload && initial.contains(entry.flow.get()))
            packets[entry.packet.get()].push_back(entry.length.get());
    std::vector<std::vector<uint32_t>> list;
    for (auto& [number, buffers] : packets) list.push_back(std::move(buffers));
    return list;
}

}  // namespace zcrxlab
