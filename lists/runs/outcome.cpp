// Counts what came of a run, and compares two runs.
#include "lists/runs/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "harness/base/errno_name.hpp"
#include "harness/oracle/oracle.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

namespace {

// Streams that count buffers take as many bytes as it happens to need.
std::set<uint32_t> streams_of_capacity(const std::vector<Event>& events) {
    std::set<uint32_t> streams;
    bool measured = false;
    for (const Event& event : events) {
        measured = measured || std::holds_alternative<CapacityMeasured>(event.body);
        const auto* finished = std::get_if<StreamFinished>(&event.body);
        if (!measured || finished == nullptr || finished->complete) continue;
        streams.insert(finished->stream);
        measured = false;
    }
    return streams;
}

std::vector<Outcome::Stream> streams_in(const std::vector<Event>& events) {
    std::vector<uint32_t> order;
    std::map<uint32_t, Outcome::Stream> streams;
    std::set<uint32_t> armed;
    for (const Event& event : events) {
        if (const auto* opened = std::get_if<ConnectionOpened>(&event.body))
            order.push_back(opened->stream);
        if (const auto* request = std::get_if<RequestSubmitted>(&event.body))
            armed.insert(request->stream);
        const auto* cqe = std::get_if<CqeSeen>(&event.body);
        if (cqe == nullptr) continue;
        if (cqe->result > 0) streams[cqe->stream].bytes += static_cast<uint64_t>(cqe->result);
        // How often a CQ or an area is found full is a matter of time.
        if (cqe->result <= 0 && cqe->result != -ENOSPC && cqe->result != -ENOMEM)
            streams[cqe->stream].ends.insert(cqe->result);
    }
    const std::set<uint32_t> of_capacity = streams_of_capacity(events);
    std::vector<Outcome::Stream> in_order;
    for (const uint32_t stream : order)
        if (armed.contains(stream) && !of_capacity.contains(stream))
            in_order.push_back(streams[stream]);
    return in_order;
}

std::string text_of(const Outcome::Stream& stream) {
    std::vector<std::string> ends;
    for (const int32_t end : stream.ends) ends.push_back(result_name(end));
    return fmt::format("{} bytes, ended with {}", stream.bytes,
                       ends.empty() ? "nothing" : fmt::format("{}", fmt::join(ends, ", ")));
}

std::vector<Outcome::Stream> sorted(std::vector<Outcome::Stream> streams) {
    std::ranges::sort(streams, {}, [](const Outcome::Stream& stream) {
        return std::pair(stream.bytes, stream.ends);
    });
    return streams;
}

std::string list_of(const auto& texts) {
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Outcome outcome_of(TestStatus status, const std::vector<Event>& events) {
    Outcome outcome;
    // A known issue is a failure that has a name; a list of its own has none.
    const bool named = status == TestStatus::kKnown || status == TestStatus::kBlocked;
    outcome.status = named ? TestStatus::kFailed : status;
    for (const Violation& violation : check_all(events))
        outcome.broken.insert(std::string(name_of(violation.invariant)));
    outcome.streams = streams_in(events);
    std::map<uint32_t, uint64_t> areas;
    for (const Event& event : events)
        if (const auto* area = std::get_if<AreaRegistered>(&event.body))
            areas[area->ifq] += area->length;
    for (const Event& event : events) {
        if (const auto* ifq = std::get_if<IfqRegistered>(&event.body))
            outcome.ifqs.push_back(
                fmt::format("queue {}, refill ring of {}, buffers of {}, {} of areas", ifq->queue,
                            ifq->rq_entries, ifq->buffer_size, size_text(areas[ifq->ifq])));
        const auto* returned = std::get_if<CallReturned>(&event.body);
        if (returned != nullptr && returned->seen != 0)
            outcome.refused.insert(errno_name(returned->seen));
        if (const auto* fault = std::get_if<FaultInjected>(&event.body))
            outcome.faults.insert(fault->rule);
    }
    return outcome;
}

std::vector<std::string> differences(const Outcome& first, const Outcome& again) {
    std::vector<std::string> texts;
    if (first.status != again.status)
        texts.push_back(fmt::format("it {} at first, and {} again", name_of(first.status),
                                    name_of(again.status)));
    const auto compare = [&texts](const char* what, const auto& one, const auto& other) {
        if (one != other)
            texts.push_back(
                fmt::format("{}: {} at first, {} again", what, list_of(one), list_of(other)));
    };
    compare("broken invariants", first.broken, again.broken);
    // Threads register and connect in any order.
    const auto in_order = [](std::vector<std::string> names) {
        std::ranges::sort(names);
        return names;
    };
    compare("ifqs", in_order(first.ifqs), in_order(again.ifqs));
    compare("refused calls", first.refused, again.refused);
    compare("faults", first.faults, again.faults);
    if (first.streams.size() != again.streams.size())
        texts.push_back(fmt::format("{} streams at first, {} again", first.streams.size(),
                                    again.streams.size()));
    if (sorted(first.streams) == sorted(again.streams)) return texts;
    for (size_t i = 0; i < std::min(first.streams.size(), again.streams.size()); ++i) {
        const Outcome::Stream &one = first.streams[i], &other = again.streams[i];
        // One that nothing has ended was left while it went on, at any place.
        const bool left = one.ends.empty() && other.ends.empty() && one.bytes > 0 &&
                          other.bytes > 0 && first.status == again.status;
        if (one != other && !left)
            texts.push_back(fmt::format("stream {}: {} at first, {} again", i + 1, text_of(one),
                                        text_of(other)));
    }
    return texts;
}

}  // namespace zcrxlab
