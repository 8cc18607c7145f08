// Events as sentences for people.
#include <cinttypes>
#include <cstdio>

#include "harness/base/errno_name.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {

namespace {

std::string number(uint64_t value) {
    return std::to_string(value);
}

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%" PRIx64, value);
    return text;
}

std::string in_milliseconds(double value) {
    char text[48];
    std::snprintf(text, sizeof(text), "%.1f ms", value);
    return text;
}

std::string sentence(const IfqRegistered& e) {
    return "ifq " + number(e.ifq) + " was registered " +
           (e.interface.empty() ? "without a device"
                                : "on " + e.interface + " queue " + number(e.queue)) +
           ": zcrx_id " + number(e.zcrx_id) + ", refill ring of " + number(e.rq_entries) +
           ", buffers of " + number(e.buffer_size) + " bytes, " +
           (e.zero_copy_expected ? "zero copy expected" : "copies expected") +
           (e.mixed ? ", CQEs of both sizes" : "") +
           (e.rq_of_kernel ? ", memory of the kernel" : "");
}

std::string sentence(const AreaRegistered& e) {
    return "area " + number(e.area) + " of ifq " + number(e.ifq) + " was registered at " +
           hex(e.address) + ", " + number(e.length) + " bytes, " + number(e.pages.size()) +
           " pages known" + (e.memory == "anonymous" ? "" : ", " + e.memory);
}

std::string sentence(const ConnectionOpened& e) {
    return "stream " + number(e.stream) + " was opened over IPv" + number(e.family) +
           " from port " + number(e.source_port) + " to port " + number(e.destination_port) +
           (e.seed == 0 ? "" : ", pattern seed " + number(e.seed));
}

std::string sentence(const PeerSent& e) {
    return "the peer has sent " + number(e.total) + " bytes on stream " + number(e.stream);
}

std::string sentence(const PeerClosed& e) {
    return "the peer " + std::string(e.reset ? "reset" : "closed") + " stream " + number(e.stream);
}

std::string sentence(const RequestSubmitted& e) {
    return "RECV_ZC request " + number(e.request) + " was submitted for stream " +
           number(e.stream) + " on ifq " + number(e.ifq) +
           (e.limit != 0 ? ", at most " + number(e.limit) + " bytes" : "");
}

std::string sentence(const CqeSeen& e) {
    std::string text = "request " + number(e.request) + " (stream " + number(e.stream) + ", ifq " +
                       number(e.ifq) + ") completed with " + result_name(e.result) + ", flags " +
                       hex(e.flags);
    if (e.result > 0)
        text += ": stream position " + number(e.position) + " at offset " + hex(e.offset);
    if (e.padding != 0) text += ", padding " + hex(e.padding);
    if (e.mismatch)
        text += "; at position " + number(*e.mismatch) + " is " + hex(e.seen) + " in place of " +
                hex(e.expected);
    return text;
}

std::string sentence(const OtherSubmitted& e) {
    return e.operation + " was submitted with the user_data " + number(e.request) + " on ring " +
           number(e.ring) + (e.target == 0 ? "" : ", of request " + number(e.target));
}

std::string sentence(const OtherCqeSeen& e) {
    return "a CQE of ring " + number(e.ring) + " has the user_data " + number(e.request) +
           ", result " + result_name(e.result) + ", flags " + hex(e.flags);
}

std::string sentence(const CqFull& e) {
    return "the CQ of ring " + number(e.ring) + " was full" +
           (e.overflowed ? ", and the kernel kept CQEs back" : "");
}

std::string sentence(const CqRead& e) {
    return "the CQ of ring " + number(e.ring) + " was read to its end: " + number(e.lost) +
           " CQEs were thrown away, " + number(e.overruns) + " times there were too many";
}

std::string sentence(const CqMayOverflow& e) {
    return "the CQ of ring " + number(e.ring) + " is too small on purpose";
}

std::string sentence(const BufferReturned& e) {
    std::string text = number(e.length) + " bytes at offset " + hex(e.offset) + " of ifq " +
                       number(e.ifq) + " were returned";
    if (e.on_purpose) text += ", wrongly on purpose";
    if (e.changed) text += "; they had changed at position " + number(*e.changed);
    return text;
}

std::string sentence(const DmaWrites& e) {
    std::string text = "the device logged " + number(e.entries.size()) + " DMA writes of " +
                       number(e.flows.size()) + " flows";
    if (!e.entries.empty())
        text += ", number " + number(e.entries.front().sequence) + " to " +
                number(e.entries.back().sequence);
    if (e.lost != 0) text += "; " + number(e.lost) + " were lost";
    return text;
}

std::string sentence(const ForbiddenAsked& e) {
    std::string text = "forbidden of the device at port " + number(e.port) + " (" + e.kind + "): ";
    if (!e.queue.empty()) text += e.queue + ", ";
    if (e.descriptor) text += "descriptor " + number(*e.descriptor) + ", ";
    if (e.address) text += "address " + hex(*e.address) + ", ";
    return text + e.what;
}

std::string sentence(const DriverWatched& e) {
    if (!e.by_device) return "the device is its own driver, which nobody watches";
    return "the device was asked what its driver had asked of it" +
           (e.lost == 0 ? "" : "; " + number(e.lost) + " forbidden ones were lost");
}

std::string sentence(const FaultInjected& e) {
    return "fault rule: " + e.rule;
}

std::string sentence(const KernelMessage& e) {
    return "kernel log, level " + number(e.level) + ": " + e.text;
}

std::string sentence(const CapacityMeasured& e) {
    return "ifq " + number(e.ifq) + " was drained: " + number(e.distinct) + " of " +
           number(e.total) + " buffers came out, " + number(e.handed_twice) + " of them twice";
}

std::string sentence(const CountAsked&) {
    return "each ifq that delivers data is to be counted before its ring is closed";
}

std::string sentence(const BuffersNotCounted& e) {
    return "the buffers of ifq " + number(e.ifq) + " are not counted, since " +
           std::string(row_of_reason(e.why).sentence);
}

std::string sentence(const RingClosed& e) {
    return (e.ring == 0 ? "the ring of ifq " : "ring " + number(e.ring) + " of ifq ") +
           number(e.ifq) + " was closed" + (e.interrupted ? " in the middle" : "") +
           (e.ifq_lives_on ? ", and another ring has the ifq" : "");
}

std::string sentence(const HeldCompared& e) {
    std::string text = "what " + number(e.cqes) + " CQEs of ifq " + number(e.ifq) +
                       " brought was compared once more";
    if (e.changed)
        text += ": position " + number(*e.changed) + " of stream " + number(e.stream) +
                " had changed, at offset " + hex(e.offset);
    return text;
}

std::string sentence(const RefillRead& e) {
    return number(e.entries) + " entries of the refill ring of ifq " + number(e.ifq) +
           " were not taken yet";
}

std::string sentence(const EndMeant& e) {
    return "requests of stream " + number(e.stream) + " may end with " + result_name(e.result) +
           ": " + e.cause;
}

std::string sentence(const CopiesExpected& e) {
    const std::string more =
        e.undecided == 0 ? "" : ", and up to " + number(e.undecided) + " more, written twice,";
    return "exactly " + number(e.bytes) + " bytes" + more + " are to be copied on ifq " +
           number(e.ifq);
}

std::string sentence(const CopiesNotTold& e) {
    return "how much is copied on ifq " + number(e.ifq) + " is not known, since " +
           std::string(row_of_reason(e.why).sentence);
}

std::string sentence(const QueueCounted& e) {
    return "queue " + number(e.queue) + " of " + e.interface + " counted " + number(e.packets) +
           " packets with " + number(e.bytes) + " bytes while ifq " + number(e.ifq) + " had it" +
           (e.goes_on ? ", which delivers more until its ring is closed in the middle" : "");
}

std::string sentence(const ProviderReleased& e) {
    const std::string where = e.interface + " queue " + number(e.queue);
    if (!e.unknown.empty())
        return "nobody knows whether the provider left " + where + " (" + e.unknown + ")";
    if (!e.released)
        return "the provider still held " + where + " after " + in_milliseconds(e.milliseconds) +
               " (bound " + in_milliseconds(e.bound_milliseconds) + ")";
    return "the provider left " + where + " after " + in_milliseconds(e.milliseconds);
}

std::string sentence(const CounterCompared& e) {
    const auto text = [](const std::optional<int64_t>& reading) {
        return reading ? std::to_string(*reading) : std::string("not to be read");
    };
    return "counter " + e.name + ": " + text(e.before) + " before, " + text(e.after) +
           " after, may differ by " + std::to_string(e.allowed) +
           (e.unread.empty() ? "" : " (" + e.unread + ")");
}

std::string sentence(const NicCompared& e) {
    return "the configuration of " + e.interface + " is " +
           (e.before == e.after ? "as before" : "not what it was before") + " (" +
           number(e.after.size()) + " lines)";
}

std::string sentence(const CallReturned& e) {
    return e.call + " returned " + errno_name(e.seen) + ", promised is " + errno_name(e.expected);
}

std::string sentence(const StreamFinished& e) {
    return "stream " + number(e.stream) + " is finished" + (e.complete ? "" : " early, on purpose");
}

std::string sentence(const ActionDone& e) {
    return "action: " + e.action;
}

std::string sentence(const Note& e) {
    return e.text;
}

}  // namespace

std::string describe(const Event& event) {
    return std::visit([](const auto& body) { return sentence(body); }, event.body);
}

}  // namespace zcrxlab
