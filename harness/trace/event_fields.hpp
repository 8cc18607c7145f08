// The fields of every event by name: what writing, reading and describing events share.
//
// each_field(event, visit) calls visit("name", field) for every field in the order of event.hpp;
// with a const event the fields are const.
#pragma once

#include <string_view>
#include <type_traits>

#include "harness/trace/event.hpp"

namespace zcrxlab {

// `E` is `Body`, const or not.
template <typename E, typename Body>
concept Is = std::is_same_v<std::remove_const_t<E>, Body>;

template <typename E, typename Visit>
requires Is<E, IfqRegistered>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("interface", e.interface);
    visit("queue", e.queue);
    visit("rq_entries", e.rq_entries);
    visit("buffer_size", e.buffer_size);
    visit("zcrx_id", e.zcrx_id);
    visit("zero_copy_expected", e.zero_copy_expected);
    visit("mixed", e.mixed);
    visit("ring", e.ring);
    visit("sq_entries", e.sq_entries);
    visit("cq_entries", e.cq_entries);
    visit("rq_of_kernel", e.rq_of_kernel);
    visit("events", e.events);
    visit("event_data", e.event_data);
    visit("statistics", e.statistics);
}

template <typename E, typename Visit>
requires Is<E, AreaRegistered>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("area", e.area);
    visit("address", e.address);
    visit("length", e.length);
    visit("pages", e.pages);
    visit("memory", e.memory);
}

template <typename E, typename Visit>
requires Is<E, ConnectionOpened>
void each_field(E& e, Visit&& visit) {
    visit("stream", e.stream);
    visit("seed", e.seed);
    visit("family", e.family);
    visit("source_port", e.source_port);
    visit("destination_port", e.destination_port);
    visit("mss", e.mss);
    visit("receive_buffer", e.receive_buffer);
    visit("send_buffer", e.send_buffer);
}

template <typename E, typename Visit>
requires Is<E, PeerSent>
void each_field(E& e, Visit&& visit) {
    visit("stream", e.stream);
    visit("total", e.total);
}

template <typename E, typename Visit>
requires Is<E, PeerClosed>
void each_field(E& e, Visit&& visit) {
    visit("stream", e.stream);
    visit("reset", e.reset);
}

template <typename E, typename Visit>
requires Is<E, RequestSubmitted>
void each_field(E& e, Visit&& visit) {
    visit("request", e.request);
    visit("ifq", e.ifq);
    visit("stream", e.stream);
    visit("limit", e.limit);
    visit("poll_first", e.poll_first);
    visit("ring", e.ring);
}

template <typename E, typename Visit>
requires Is<E, OtherSubmitted>
void each_field(E& e, Visit&& visit) {
    visit("ring", e.ring);
    visit("request", e.request);
    visit("operation", e.operation);
    visit("target", e.target);
}

template <typename E, typename Visit>
requires Is<E, OtherCqeSeen>
void each_field(E& e, Visit&& visit) {
    visit("ring", e.ring);
    visit("request", e.request);
    visit("result", e.result);
    visit("flags", e.flags);
    visit("offset", e.offset);
    visit("padding", e.padding);
    visit("big", e.big);
}

template <typename E, typename Visit>
requires Is<E, CqFull>
void each_field(E& e, Visit&& visit) {
    visit("ring", e.ring);
    visit("overflowed", e.overflowed);
}

template <typename E, typename Visit>
requires Is<E, CqRead>
void each_field(E& e, Visit&& visit) {
    visit("ring", e.ring);
    visit("lost", e.lost);
    visit("overruns", e.overruns);
}

template <typename E, typename Visit>
requires Is<E, CqMayOverflow>
void each_field(E& e, Visit&& visit) {
    visit("ring", e.ring);
}

template <typename E, typename Visit>
requires Is<E, CqeSeen>
void each_field(E& e, Visit&& visit) {
    visit("request", e.request);
    visit("ifq", e.ifq);
    visit("stream", e.stream);
    visit("result", e.result);
    visit("flags", e.flags);
    visit("offset", e.offset);
    visit("padding", e.padding);
    visit("big", e.big);
    visit("position", e.position);
    visit("mismatch", e.mismatch);
    visit("expected", e.expected);
    visit("seen", e.seen);
}

template <typename E, typename Visit>
requires Is<E, BufferReturned>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("offset", e.offset);
    visit("length", e.length);
    visit("changed", e.changed);
    visit("on_purpose", e.on_purpose);
}

template <typename E, typename Visit>
requires Is<E, DmaWrites>
void each_field(E& e, Visit&& visit) {
    visit("entries", e.entries);
    visit("flows", e.flows);
    visit("lost", e.lost);
}

template <typename E, typename Visit>
requires Is<E, ForbiddenAsked>
void each_field(E& e, Visit&& visit) {
    visit("number", e.number);
    visit("port", e.port);
    visit("kind", e.kind);
    visit("queue", e.queue);
    visit("descriptor", e.descriptor);
    visit("address", e.address);
    visit("what", e.what);
}

template <typename E, typename Visit>
requires Is<E, DriverWatched>
void each_field(E& e, Visit&& visit) {
    visit("by_device", e.by_device);
    visit("lost", e.lost);
}

template <typename E, typename Visit>
requires Is<E, FaultInjected>
void each_field(E& e, Visit&& visit) {
    visit("rule", e.rule);
}

template <typename E, typename Visit>
requires Is<E, KernelMessage>
void each_field(E& e, Visit&& visit) {
    visit("level", e.level);
    visit("text", e.text);
}

template <typename E, typename Visit>
requires Is<E, CapacityMeasured>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("total", e.total);
    visit("distinct", e.distinct);
    visit("handed_twice", e.handed_twice);
}

template <typename E, typename Visit>
requires Is<E, CountAsked>
void each_field(E&, Visit&&) {}

template <typename E, typename Visit>
requires Is<E, BuffersNotCounted>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("why", e.why);
}

template <typename E, typename Visit>
requires Is<E, RingClosed>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("interrupted", e.interrupted);
    visit("ring", e.ring);
    visit("ifq_lives_on", e.ifq_lives_on);
}

template <typename E, typename Visit>
requires Is<E, HeldCompared>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("cqes", e.cqes);
    visit("changed", e.changed);
    visit("stream", e.stream);
    visit("offset", e.offset);
}

template <typename E, typename Visit>
requires Is<E, RefillRead>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("entries", e.entries);
}

template <typename E, typename Visit>
requires Is<E, EndMeant>
void each_field(E& e, Visit&& visit) {
    visit("stream", e.stream);
    visit("result", e.result);
    visit("cause", e.cause);
}

template <typename E, typename Visit>
requires Is<E, CopiesExpected>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("bytes", e.bytes);
    visit("undecided", e.undecided);
}

template <typename E, typename Visit>
requires Is<E, CopiesNotTold>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("why", e.why);
}

template <typename E, typename Visit>
requires Is<E, QueueCounted>
void each_field(E& e, Visit&& visit) {
    visit("ifq", e.ifq);
    visit("interface", e.interface);
    visit("queue", e.queue);
    visit("packets", e.packets);
    visit("bytes", e.bytes);
    visit("goes_on", e.goes_on);
}

template <typename E, typename Visit>
requires Is<E, ProviderReleased>
void each_field(E& e, Visit&& visit) {
    visit("interface", e.interface);
    visit("queue", e.queue);
    visit("released", e.released);
    visit("milliseconds", e.milliseconds);
    visit("bound_milliseconds", e.bound_milliseconds);
    visit("unknown", e.unknown);
}

template <typename E, typename Visit>
requires Is<E, CounterCompared>
void each_field(E& e, Visit&& visit) {
    visit("name", e.name);
    visit("before", e.before);
    visit("after", e.after);
    visit("allowed", e.allowed);
    visit("unread", e.unread);
}

template <typename E, typename Visit>
requires Is<E, NicCompared>
void each_field(E& e, Visit&& visit) {
    visit("interface", e.interface);
    visit("before", e.before);
    visit("after", e.after);
}

template <typename E, typename Visit>
requires Is<E, CallReturned>
void each_field(E& e, Visit&& visit) {
    visit("call", e.call);
    visit("expected", e.expected);
    visit("seen", e.seen);
}

template <typename E, typename Visit>
requires Is<E, StreamFinished>
void each_field(E& e, Visit&& visit) {
    visit("stream", e.stream);
    visit("complete", e.complete);
}

template <typename E, typename Visit>
requires Is<E, ActionDone>
void each_field(E& e, Visit&& visit) {
    visit("action", e.action);
    visit("of_list", e.of_list);
}

template <typename E, typename Visit>
requires Is<E, Note>
void each_field(E& e, Visit&& visit) {
    visit("text", e.text);
}

// Whether traces from before there was such a field may lack it; it is as if nothing was set then.
constexpr bool may_be_missing(std::string_view field) {
    for (const std::string_view added :
         {"ring", "sq_entries", "cq_entries", "rq_of_kernel", "events", "event_data", "statistics",
          "memory", "mss", "receive_buffer", "send_buffer", "poll_first", "interrupted", "unknown",
          "unread", "ifq_lives_on", "goes_on"})
        if (field == added) return true;
    return false;
}

// The name of an event in JSON: that of its type.
template <typename Body>
inline constexpr std::string_view kEventName = "";
template <>
inline constexpr std::string_view kEventName<IfqRegistered> = "IfqRegistered";
template <>
inline constexpr std::string_view kEventName<AreaRegistered> = "AreaRegistered";
template <>
inline constexpr std::string_view kEventName<ConnectionOpened> = "ConnectionOpened";
template <>
inline constexpr std::string_view kEventName<PeerSent> = "PeerSent";
template <>
inline constexpr std::string_view kEventName<PeerClosed> = "PeerClosed";
template <>
inline constexpr std::string_view kEventName<RequestSubmitted> = "RequestSubmitted";
template <>
inline constexpr std::string_view kEventName<CqeSeen> = "CqeSeen";
template <>
inline constexpr std::string_view kEventName<OtherSubmitted> = "OtherSubmitted";
template <>
inline constexpr std::string_view kEventName<OtherCqeSeen> = "OtherCqeSeen";
template <>
inline constexpr std::string_view kEventName<CqFull> = "CqFull";
template <>
inline constexpr std::string_view kEventName<CqRead> = "CqRead";
template <>
inline constexpr std::string_view kEventName<CqMayOverflow> = "CqMayOverflow";
template <>
inline constexpr std::string_view kEventName<HeldCompared> = "HeldCompared";
template <>
inline constexpr std::string_view kEventName<RefillRead> = "RefillRead";
template <>
inline constexpr std::string_view kEventName<EndMeant> = "EndMeant";
template <>
inline constexpr std::string_view kEventName<BufferReturned> = "BufferReturned";
template <>
inline constexpr std::string_view kEventName<DmaWrites> = "DmaWrites";
template <>
inline constexpr std::string_view kEventName<ForbiddenAsked> = "ForbiddenAsked";
template <>
inline constexpr std::string_view kEventName<DriverWatched> = "DriverWatched";
template <>
inline constexpr std::string_view kEventName<FaultInjected> = "FaultInjected";
template <>
inline constexpr std::string_view kEventName<KernelMessage> = "KernelMessage";
template <>
inline constexpr std::string_view kEventName<CapacityMeasured> = "CapacityMeasured";
template <>
inline constexpr std::string_view kEventName<CountAsked> = "CountAsked";
template <>
inline constexpr std::string_view kEventName<BuffersNotCounted> = "BuffersNotCounted";
template <>
inline constexpr std::string_view kEventName<RingClosed> = "RingClosed";
template <>
inline constexpr std::string_view kEventName<CopiesExpected> = "CopiesExpected";
template <>
inline constexpr std::string_view kEventName<CopiesNotTold> = "CopiesNotTold";
template <>
inline constexpr std::string_view kEventName<QueueCounted> = "QueueCounted";
template <>
inline constexpr std::string_view kEventName<ProviderReleased> = "ProviderReleased";
template <>
inline constexpr std::string_view kEventName<CounterCompared> = "CounterCompared";
template <>
inline constexpr std::string_view kEventName<NicCompared> = "NicCompared";
template <>
inline constexpr std::string_view kEventName<CallReturned> = "CallReturned";
template <>
inline constexpr std::string_view kEventName<StreamFinished> = "StreamFinished";
template <>
inline constexpr std::string_view kEventName<ActionDone> = "ActionDone";
template <>
inline constexpr std::string_view kEventName<Note> = "Note";

}  // namespace zcrxlab
