// Promises: counts CQEs and buffers in a trace, and writes a sentence for each wrong number.
#include "lists/player/promises.hpp"

#include <map>
#include <set>

#include "harness/oracle/findings.hpp"
#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {

namespace {

std::string sentence_for(Invariant invariant, const std::string& what, uint64_t promised,
                         uint64_t seen, const char* bound = "") {
    return name_of(invariant) + " (" + promise_of(invariant) + ") does not hold: " + bound +
           std::to_string(promised) + " " + what + " are promised, there are " +
           std::to_string(seen);
}

}  // namespace

CqeCounts cqes_of(Events events, uint32_t stream) {
    CqeCounts counts;
    std::set<uint64_t> requests;
    each_of<RequestSubmitted>(events, [&](size_t, const RequestSubmitted& e) {
        if (e.stream == stream) requests.insert(e.request);
    });
    counts.requests = requests.size();
    // By user_data: the stream of a CQE is what the receiver took it for.
    each_of<CqeSeen>(events, [&](size_t, const CqeSeen& e) {
        if (!requests.contains(e.request)) return;
        if (e.result > 0) ++counts.data;
        if ((e.flags & uapi::kCqeMore) == 0) ++counts.finals;
    });
    // Those of a request that had ended.
    each_of<OtherCqeSeen>(events, [&](size_t, const OtherCqeSeen& e) {
        if (!requests.contains(e.request)) return;
        if (e.result > 0) ++counts.data;
        if ((e.flags & uapi::kCqeMore) == 0) ++counts.finals;
    });
    return counts;
}

uint64_t buffers_held(Events events, uint32_t ifq) {
    uint32_t buffer_size = 0;
    std::map<uint64_t, uint64_t> references;  // by buffer
    for (const Event& event : events) {
        if (const auto* made = std::get_if<IfqRegistered>(&event.body);
            made != nullptr && made->ifq == ifq)
            buffer_size = made->buffer_size;
        if (buffer_size == 0) continue;
        if (const auto* seen = std::get_if<CqeSeen>(&event.body);
            seen != nullptr && seen->ifq == ifq && seen->result > 0)
            ++references[seen->offset / buffer_size];
        if (const auto* back = std::get_if<BufferReturned>(&event.body);
            back != nullptr && back->ifq == ifq && !back->on_purpose) {
            const auto found = references.find(back->offset / buffer_size);
            if (found != references.end() && --found->second == 0) references.erase(found);
        }
        if (const auto* closed = std::get_if<RingClosed>(&event.body);
            closed != nullptr && closed->ifq == ifq && !closed->ifq_lives_on)
            references.clear();
    }
    return references.size();
}

bool has_come(const Action& count, const CqeCounts& seen) {
    return seen.requests >= count.number("requests") && seen.finals >= count.number("finals") &&
           seen.data >= count.number("least");
}

std::vector<std::string> miscounts(const Action& count, const CqeCounts& seen) {
    std::vector<std::string> sentences;
    const auto compare = [&](const char* parameter, const char* what, uint64_t number) {
        if (count.has(parameter) && count.number(parameter) != number)
            sentences.push_back(
                sentence_for(Invariant::kI2, what, count.number(parameter), number));
    };
    compare("requests", "requests", seen.requests);
    compare("finals", "final CQEs", seen.finals);
    if (seen.data < count.number("least"))
        sentences.push_back(sentence_for(Invariant::kI2, "data CQEs", count.number("least"),
                                         seen.data, "at least "));
    return sentences;
}

std::vector<std::string> misplaced(const Action& buffers, uint64_t held, uint64_t entries) {
    std::vector<std::string> sentences;
    if (buffers.has("held") && buffers.number("held") != held)
        sentences.push_back(sentence_for(Invariant::kI5, "different buffers with the user",
                                         buffers.number("held"), held));
    if (buffers.has("entries") && buffers.number("entries") != entries)
        sentences.push_back(sentence_for(Invariant::kI5, "entries left in the refill ring",
                                         buffers.number("entries"), entries));
    return sentences;
}

}  // namespace zcrxlab
