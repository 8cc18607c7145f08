// The oracle: the invariants I1 to I10 as pure functions over a trace.
//
// A check that finds nothing to look at where there should be something is a violation too: a trace
// that lacks a total, a DMA log or a comparison proves nothing. What each function asks of a trace
// is said below. Each fault shows in one invariant where that can be told apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/trace/event.hpp"

namespace zcrxlab {

enum class Invariant { kI1 = 1, kI2, kI3, kI4, kI5, kI6, kI7, kI8, kI9, kI10 };

// All of them, I1 first.
std::span<const Invariant> invariants();
// "I4", its sentence (without a full stop), and what its check looks for where the sentence does
// not say it; empty where it does. Pages are made of these.
std::string name_of(Invariant invariant);
std::string promise_of(Invariant invariant);
std::string details_of(Invariant invariant);

// A request that has got more than it asked for, in bytes.
struct BehindLength {
    uint64_t length = 0;
    uint64_t delivered = 0;

    bool operator==(const BehindLength&) const = default;
};

// The first byte of a CQE that has another value than was sent: its stream, and its position there.
struct WrongByte {
    uint32_t stream = 0;
    uint64_t position = 0;

    bool operator==(const WrongByte&) const = default;
};

// Bytes that the device put where they were delivered from, for another stream.
struct OfAnotherStream {
    uint32_t stream = 0;  // that got them
    uint32_t other = 0;   // whose they are

    bool operator==(const OfAnotherStream&) const = default;
};

// A wrong byte of a CQE, as WrongByte has it, that the device did not put there either.
struct WrongPlace {
    uint32_t stream = 0;
    uint64_t position = 0;

    bool operator==(const WrongPlace&) const = default;
};

// A race that KCSAN told of, as subject_of() names it.
struct RaceTold {
    std::string subject;

    bool operator==(const RaceTold&) const = default;
};

// What a sentence says and nothing else, as data. One CQE may break an invariant in several ways,
// so that its event does not tell which one a violation is about.
using About = std::variant<std::monostate,
                           WrongByte,        // I1
                           BehindLength,     // I2
                           OfAnotherStream,  // I4
                           WrongPlace,       // I4
                           RaceTold>;        // I7

struct Violation {
    Invariant invariant;
    size_t event = 0;      // index of the event at which it shows
    std::string sentence;  // what was expected and what was seen
    About about = {};
};

// At most this many violations of one invariant that are alike are spelled out; one more says how
// many there were.
inline constexpr size_t kViolationsSpelledOut = 20;

using Events = std::span<const Event>;

// Each returns what breaks its invariant, oldest first; empty means that it holds.

// I1. Every stream with data is opened (ConnectionOpened) and finished (StreamFinished); a complete
// one has a PeerSent with the same total and at least one CQE. An end of stream before the last
// byte is a violation unless the peer reset the connection.
std::vector<Violation> check_stream(Events events);

// I2. Every CQE belongs to a RequestSubmitted that has not ended, its place to an AreaRegistered of
// its ifq. A request without a final CQE needs a RingClosed of its ifq and ring that is
// interrupted. A final CQE that says end of stream needs a PeerClosed anywhere in the trace, or the
// request's limit reached.
std::vector<Violation> check_completions(Events events);

// I3. A data CQE holds its range until a BufferReturned with an offset inside it, or the RingClosed
// of the last ring that has the ifq.
std::vector<Violation> check_held_memory(Events events);

// I4. For ifqs with zero_copy_expected, every byte of every data CQE is in a DmaWrites entry with
// the flow, stream position and page of that byte; with CopiesExpected, all but exactly that many.
// A trace without DmaWrites but with QueueCounted is judged by that, which is weaker: what was
// delivered must have come in through the ifq's queue; whether it was copied behind it is not seen.
// What comes behind a last QueueCounted that goes_on is not judged, if the ring is closed in the
// middle; before it, something has to be.
// Where there are DmaWrites, each ifq of a NIC that delivers data has zero_copy_expected, a
// CopiesExpected, or a CopiesNotTold that says why not. Of a test that gave up, streams that the
// device has never seen are not judged: it may not have come to say how many bytes are copies.
std::vector<Violation> check_zero_copy(Events events);

// I5. Judges every CapacityMeasured; its total must be that of the ifq's areas. With CountAsked,
// each ifq has one behind the last data that it delivered, a BuffersNotCounted that says why not,
// or a RingClosed that is interrupted.
std::vector<Violation> check_conservation(Events events);

// I6. Every ifq on a device has a ProviderReleased after it for its interface and queue; judges
// these and every CounterCompared. What could be read before must be readable after.
std::vector<Violation> check_teardown(Events events);

// How a KernelMessage begins that stands in place of those that were overwritten before they were
// read.
inline constexpr std::string_view kMessagesThrownAway =
    "zcrxlab: the kernel threw messages away before they were read";

// I7. Judges every KernelMessage. Of KCSAN's reports those that are about what zero-copy receive
// lives in, and those that are not whole (harness/oracle/data_races.hpp).
std::vector<Violation> check_kernel_log(Events events);

// I8. Every interface with an ifq has a NicCompared after it; judges every NicCompared.
std::vector<Violation> check_nic(Events events);

// I9. Judges every CallReturned.
std::vector<Violation> check_errors(Events events);

// I10. Every ForbiddenAsked breaks it, whatever else the scenario does to the device: no fault rule
// makes a driver ask for what is forbidden. A trace with DmaWrites has a DriverWatched behind the
// last of them; where that lacks some, or is missing, nobody knows what was asked.
std::vector<Violation> check_driver(Events events);

// All of them, I1 first.
std::vector<Violation> check_all(Events events);

}  // namespace zcrxlab
