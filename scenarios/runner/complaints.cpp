// Complaints: the facts of each invariant.
#include "scenarios/runner/complaints.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

namespace zcrxlab {

namespace {

// I1: how much of a stream had come when it was finished.
ComplaintFacts of_stream(const StreamFinished& finished, std::span<const Event> events) {
    ComplaintFacts facts{.kind = ComplaintKind::kStreamCut, .received = 0};
    for (const Event& event : events) {
        const auto* cqe = std::get_if<CqeSeen>(&event.body);
        if (cqe != nullptr && cqe->stream == finished.stream && cqe->result > 0)
            facts.received =
                std::max(*facts.received, static_cast<int64_t>(cqe->position) + cqe->result);
        const auto* sent = std::get_if<PeerSent>(&event.body);
        if (sent != nullptr && sent->stream == finished.stream)
            facts.sent = std::max(facts.sent.value_or(0), static_cast<int64_t>(sent->total));
    }
    return facts;
}

}  // namespace

ComplaintFacts facts_of(const Violation& violation, std::span<const Event> events) {
    if (violation.event >= events.size()) return {};
    const EventBody& body = events[violation.event].body;
    switch (violation.invariant) {
        case Invariant::kI1:
            if (const auto* wrong = std::get_if<WrongByte>(&violation.about))
                return {.kind = ComplaintKind::kWrongByte,
                        .received = static_cast<int64_t>(wrong->position)};
            if (const auto* e = std::get_if<StreamFinished>(&body)) return of_stream(*e, events);
            break;
        case Invariant::kI2:
            if (const auto* behind = std::get_if<BehindLength>(&violation.about))
                return {.kind = ComplaintKind::kBehindLength,
                        .length = static_cast<int64_t>(behind->length),
                        .delivered = static_cast<int64_t>(behind->delivered)};
            if (std::holds_alternative<OtherCqeSeen>(body))
                return {.kind = ComplaintKind::kStrayCqe};
            if (const auto* e = std::get_if<CqRead>(&body); e != nullptr && e->lost == 0)
                return {.kind = ComplaintKind::kCqOverrun};
            break;
        case Invariant::kI4:
            if (std::holds_alternative<OfAnotherStream>(violation.about))
                return {.kind = ComplaintKind::kOfAnotherStream};
            if (const auto* wrong = std::get_if<WrongPlace>(&violation.about))
                return {.kind = ComplaintKind::kWrongPlace,
                        .received = static_cast<int64_t>(wrong->position)};
            break;
        case Invariant::kI6:
            if (std::holds_alternative<ProviderReleased>(body))
                return {.kind = ComplaintKind::kProviderStays};
            if (const auto* e = std::get_if<CounterCompared>(&body))
                return {.kind = ComplaintKind::kCounter, .subject = e->name};
            break;
        case Invariant::kI7:
            if (const auto* race = std::get_if<RaceTold>(&violation.about))
                return {.kind = ComplaintKind::kKernelLog, .subject = race->subject};
            if (const auto* e = std::get_if<KernelMessage>(&body)) return kernel_line(e->text);
            break;
        case Invariant::kI9:
            if (const auto* e = std::get_if<CallReturned>(&body))
                return {.kind = ComplaintKind::kOtherErrno,
                        .subject = e->call,
                        .seen = e->seen,
                        .promised = e->expected};
            break;
        case Invariant::kI10:
            if (const auto* e = std::get_if<ForbiddenAsked>(&body))
                return {.kind = ComplaintKind::kForbidden,
                        .subject = e->queue.empty() ? e->what : e->queue + ": " + e->what};
            break;
        default:
            break;
    }
    return {};
}

}  // namespace zcrxlab
