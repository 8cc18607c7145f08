// Takes from a report what is judged.
#include "results/conform/receive_facts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;

// Empty if it is 0, which is not asked for by anybody.
std::optional<uint64_t> known(uint64_t number) {
    return number == 0 ? std::nullopt : std::optional(number);
}

QueueFacts facts_of(const ZcrxQueue& queue, const ZcrxReport& report) {
    QueueFacts facts{.pieces = queue.pieces, .starved = queue.starved};
    if (report.exact("closed")) facts.given_back = queue.given_back;
    facts.unreadable = report.unreadable(queue);
    if (report.exact("opened")) facts.posted_at_opening = queue.out_at_opening;
    if (report.knows("refill")) facts.most_in_ring = queue.most_in_ring;
    facts.ring_entries = report.refill_entries(queue);
    facts.flushes = report.controls() != 0;
    for (const uint64_t at : queue.rings) {
        const auto found = report.rings().find(at);
        if (found == report.rings().end()) continue;
        // Those of a page; a program may have asked for larger ones.
        facts.area_buffers = known(found->second.area / kPage);
        facts.cq_entries = known(found->second.cq_entries);
    }
    if (queue.area_buffers) facts.area_buffers = queue.area_buffers;
    return facts;
}

// A file may have been several streams', of which nobody knows whose requests these were.
void take_requests(const ZcrxFile& file, const ZcrxReport& report, ReceiveFacts& facts) {
    for (const int code : {-ENOSPC, -ENOMEM}) {
        if (!file.errors.contains(code)) continue;
        for (const uint16_t port : file.remote_ports) {
            StreamRequests& requests = facts.requests[port];
            requests.ended_by.insert(code);
            requests.none_afterwards = report.not_armed_again(file).value_or(false);
        }
    }
}

}  // namespace

ReceiveFacts facts_of(const ZcrxReport& report) {
    ReceiveFacts facts;
    if (!report.measured()) return facts;
    facts.not_counted.clear();
    constexpr std::array<std::string_view, 3> kNeeded{"piece", "packet", "result"};
    for (const std::string_view probe : kNeeded)
        if (!report.exact(probe))
            facts.not_counted = "this kernel cannot count what its probe \"" + std::string(probe) +
                                "\" counts without missing some";
    facts.bytes = report.bytes();
    facts.copied = report.copied();
    facts.cq_full = report.cq_full();
    facts.left = report.left();
    for (const auto& [pid, task] : report.tasks()) {
        for (const auto& [code, count] : task.errors) facts.errors[code] += count;
        for (const auto& [code, count] : task.registered) facts.registered[code] += count;
        if (task.no_buffer_to_copy != 0) facts.errors.try_emplace(-ENOMEM, 0);
    }
    for (const ZcrxConnection& connection : report.connections())
        facts.by_stream[connection.remote_port] += connection.bytes;
    for (const auto& [at, file] : report.files()) take_requests(file, report, facts);
    for (const auto& [at, queue] : report.queues())
        if (queue.pieces != 0) facts.queues.push_back(facts_of(queue, report));
    return facts;
}

}  // namespace zcrxlab
