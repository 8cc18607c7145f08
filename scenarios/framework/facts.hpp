// Facts: what a complaint about a scenario says, as data.
//
// A sentence is for people. What says whether a complaint has a known cause compares these, and a
// fact that a complaint does not have is no match for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class ComplaintKind : uint8_t {
    kOther,            // only its sentence is there
    kCheck,            // a check of the scenario's own: `subject` is the last line that it says
    kStalled,          // the kernel does not complete a request although data waits for it
    kTimedOut,         // the streams did not come to their end in time
    kNotEmptied,       // the buffers of an area were not all handed out in time
    kNotConnected,     // a connection was not made in time
    kProviderStays,    // a queue still has its provider
    kOtherErrno,       // I9: the call `subject` returned `seen`, but `promised` is promised
    kKernelLog,        // I7: `subject` and `functions` are of kernel_line()
    kLostMemory,       // kmemleak: `functions` are those of the backtrace of the allocation
    kStreamCut,        // I1: a stream is finished with `received` of `sent` bytes
    kStrayCqe,         // I2: about a CQE
    kCqOverrun,        // I2: the CQ had more CQEs than slots
    kCounter,          // I6: the counter `subject` is not back where it was
    kForbidden,        // I10: `subject` is the queue, a colon, and what is wrong
    kBehindLength,     // I2: a request got more than its `length`, `delivered` bytes so far
    kWrongByte,        // I1: a byte behind the first `received` of a stream is not what was sent
    kOfAnotherStream,  // I4: the device put the bytes there, and for another stream
    kWrongPlace,       // I4: a byte that kWrongByte is about was not put there by the device either
};

struct ComplaintFacts {
    ComplaintKind kind = ComplaintKind::kOther;
    std::string subject = {};
    std::vector<std::string> functions = {};  // of the kernel
    // Errnos, 0 for success.
    std::optional<int64_t> seen = {}, promised = {};
    // Bytes of the first stream that did not end.
    std::optional<int64_t> sent = {}, received = {};
    // Buffers: of the area, with the user, and with the device.
    std::optional<int64_t> buffers = {}, held = {}, posted = {};
    // Times that TCP did not send again since the packet was still on its way out of this machine,
    // while a connection was tried (TCPSpuriousRtxHostQueues).
    std::optional<int64_t> not_left = {};
    // Of a driver that keeps what it has posted: buffers that the page pool of the queue has given
    // away, whoever has them, and packets that it dropped since it found none to replace theirs.
    std::optional<int64_t> in_flight = {}, not_replaced = {};
    // With a device that had too few, after its queue was polled.
    std::optional<int64_t> posted_when_polled = {};
    // Bytes: what a request asked for at most, and what it has got.
    std::optional<int64_t> length = {}, delivered = {};
    std::optional<bool> data_waits = {};  // in the socket of a request that is armed
    std::string socket = {};              // "CLOSE POLLIN POLLHUP"

    // Buffers that neither the user nor the device has; nothing if one of these is not known.
    std::optional<int64_t> free() const;
    bool operator==(const ComplaintFacts&) const = default;
};

// As JSON, and back; what is no such JSON has no facts.
std::string to_json(const ComplaintFacts& facts);
ComplaintFacts facts_from_json(std::string_view json);

// What a line of the kernel's log is about. Of a WARNING and of a report by KASAN and its like the
// subject is what stands before the place ("WARNING", "BUG: KASAN: wild-memory-access") and the
// function is the one in which it was; of any other, the subject is the whole line.
ComplaintFacts kernel_line(std::string_view line);
// Of an object that kmemleak names, with its backtrace.
ComplaintFacts lost_object(std::string_view text);

}  // namespace zcrxlab
