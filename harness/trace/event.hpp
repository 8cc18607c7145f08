// Event: one thing that happened. A trace is a list of events; every claim is a function over it.
//
// Events say what was seen, never whether it was right: judging is the oracle's work. Stream
// positions count bytes of one direction of one connection from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/trace/dma_log.hpp"
#include "harness/trace/reasons.hpp"

namespace zcrxlab {

// An interface queue was registered with a ring (IORING_REGISTER_ZCRX_IFQ succeeded).
struct IfqRegistered {
    uint32_t ifq = 0;            // our number for it, unique in the trace
    std::string interface = {};  // empty with ZCRX_REG_NODEV
    uint32_t queue = 0;
    uint32_t rq_entries = 0;   // as written back
    uint32_t buffer_size = 0;  // bytes of one niov
    uint32_t zcrx_id = 0;
    bool zero_copy_expected = true;  // false with ZCRX_REG_NODEV, or where a fault forces copies
    bool mixed = false;              // the ring has IORING_SETUP_CQE_MIXED, else CQE32
    uint32_t ring = 0;               // descriptor of the ring, unique among those that are open
    uint32_t sq_entries = 0, cq_entries = 0;  // of the ring
    bool rq_of_kernel = false;                // the refill ring is memory of the kernel
    uint32_t events = 0;                      // 1 << uapi::ZcrxEvent of those that are told
    uint64_t event_data = 0;                  // user_data of their CQEs
    bool statistics = false;                  // counters in shared memory
};

// An area of an ifq, with the guest page behind each page of it.
struct AreaRegistered {
    uint32_t ifq = 0;
    uint32_t area = 0;                 // area id, the top 16 bits of a CQE's offset
    uint64_t address = 0;              // user address
    uint64_t length = 0;               // bytes
    std::vector<uint64_t> pages = {};  // guest physical address of each 4096-byte page, in order
    // "anonymous", "huge", "transparent", "memfd", "huge_memfd", "repeated", or "dmabuf".
    std::string memory = "anonymous";
};

// A TCP connection whose receiving side is under test.
struct ConnectionOpened {
    uint32_t stream = 0;       // our number for it, unique in the trace
    uint64_t seed = 0;         // of its payload pattern
    uint8_t family = 4;        // 4 or 6
    uint16_t source_port = 0;  // the sender's
    uint16_t destination_port = 0;
    uint32_t mss = 0;  // what was set of both ends; 0 = the kernel's choice
    uint32_t receive_buffer = 0, send_buffer = 0;
};

// The peer handed bytes to its socket. `total` counts from the beginning.
struct PeerSent {
    uint32_t stream = 0;
    uint64_t total = 0;
};

// The peer closed its direction (FIN, or RST if `reset`).
struct PeerClosed {
    uint32_t stream = 0;
    bool reset = false;
};

// A RECV_ZC request was submitted.
struct RequestSubmitted {
    uint64_t request = 0;  // its user_data, unique in the trace
    uint32_t ifq = 0;
    uint32_t stream = 0;
    uint32_t limit = 0;  // sqe->len, 0 = none
    bool poll_first = false;
    uint32_t ring = 0;  // descriptor of the ring that it was submitted to
};

// A CQE of a RECV_ZC request, as the kernel wrote it, and what was found behind it.
struct CqeSeen {
    uint64_t request = 0;
    uint32_t ifq = 0;
    uint32_t stream = 0;
    int32_t result = 0;
    uint32_t flags = 0;
    uint64_t offset = 0;    // io_uring_zcrx_cqe::off
    uint64_t padding = 0;   // io_uring_zcrx_cqe::__pad
    bool big = false;       // the CQE had 32 bytes
    uint64_t position = 0;  // stream position of its first byte, by adding up results
    // First position at which the bytes were not the pattern's, if any, with both values.
    std::optional<uint64_t> mismatch = {};
    uint8_t expected = 0;
    uint8_t seen = 0;
};

// A request was submitted that no RequestSubmitted tells of: another operation, or a RECV_ZC whose
// CQEs the test reads by itself. Several may have one user_data.
struct OtherSubmitted {
    uint32_t ring = 0;
    uint64_t request = 0;        // its user_data
    std::string operation = {};  // "cancel", "nop" ...
    uint64_t target = 0;         // of a cancel: the user_data of the request that is to end
};

// A CQE that belongs to no request that the receiver has armed, as the kernel wrote it.
struct OtherCqeSeen {
    uint32_t ring = 0;
    uint64_t request = 0;  // its user_data
    int32_t result = 0;
    uint32_t flags = 0;
    uint64_t offset = 0;  // as in CqeSeen
    uint64_t padding = 0;
    bool big = false;
};

// Every slot of a ring's CQ was taken when the user came to read it.
struct CqFull {
    uint32_t ring = 0;
    bool overflowed = false;  // the kernel kept CQEs back for want of a slot (SQ_CQ_OVERFLOW)
};

// What the ring said of its CQ when the user had read it for the last time.
struct CqRead {
    uint32_t ring = 0;
    uint64_t lost = 0;      // CQEs that the kernel threw away (koverflow)
    uint64_t overruns = 0;  // how often there were more CQEs than slots
};

// The test means the ring's CQ to be too small: the kernel may keep CQEs back.
struct CqMayOverflow {
    uint32_t ring = 0;
};

// The user gave a reference back through the refill ring.
struct BufferReturned {
    uint32_t ifq = 0;
    uint64_t offset = 0;  // io_uring_zcrx_rqe::off, as written
    uint64_t length = 0;
    // Bytes were compared again just before: the first position at which they had changed, if any.
    std::optional<uint64_t> changed = {};
    bool on_purpose = false;  // the test returns what it does not hold, or something senseless
};

// Writes of the device, and its flow table.
struct DmaWrites {
    std::vector<DmaLogEntry> entries = {};
    std::vector<DmaLogFlow> flows = {};
    uint64_t lost = 0;  // entries that the device's ring no longer had
};

// The driver asked of its device what no driver may ask: to read or write memory that is not
// mapped, to send what a malformed descriptor says, to take a doorbell that means nothing ...
// (nic/forbidden.hpp).
struct ForbiddenAsked {
    uint64_t number = 0;  // the device counts them from 1 on, those of both ports together
    uint32_t port = 0;    // 0: of the interface under test, 1: of its peer
    std::string kind = {};
    std::string queue = {};                   // "transmit queue 3"; empty: of none
    std::optional<uint64_t> descriptor = {};  // index in the queue's ring
    std::optional<uint64_t> address = {};     // bus address in the guest
    std::string what = {};                    // what is wrong, without a full stop
};

// The device was asked for what its driver has asked since the last time; each that was forbidden
// is a ForbiddenAsked before this.
struct DriverWatched {
    bool by_device = true;  // false: device and driver are one, and nobody stands between them
    uint64_t lost = 0;      // forbidden ones that the device no longer had
};

// A fault rule was put into (or taken out of) the device.
struct FaultInjected {
    std::string rule = {};  // JSON as sent
};

// A line of the kernel log of level `level` (0 emergency ... 7 debug).
struct KernelMessage {
    uint8_t level = 6;
    std::string text = {};
};

// After closing: recycling was stopped and the area drained to -ENOMEM, or read off otherwise.
struct CapacityMeasured {
    uint32_t ifq = 0;
    uint64_t total = 0;         // buffers of all areas
    uint64_t distinct = 0;      // different buffers handed out without a return
    uint64_t handed_twice = 0;  // buffers handed out again while held
};

// The run is to count the buffers of each ifq that delivers data, before its ring is closed.
struct CountAsked {};

// The buffers of an ifq are not counted, and why.
struct BuffersNotCounted {
    uint32_t ifq = 0;
    Uncounted why = Uncounted::kNothingArrives;
};

// The ring was closed on this ifq, or the process ended: what the user held of it is no longer the
// user's. One event for each ifq of the ring.
struct RingClosed {
    uint32_t ifq = 0;
    // By a kill or a crash, or because the test means to: requests were under way, which get no
    // final CQE, and nobody has compared what was held.
    bool interrupted = false;
    uint32_t ring = 0;  // descriptor of the ring; 0 = each ring that had the ifq
    // Another ring has the ifq, too: nothing of it was given back, and only requests of this ring
    // have ended.
    bool ifq_lives_on = false;
};

// What is held of an ifq was compared once more before its ring is closed.
struct HeldCompared {
    uint32_t ifq = 0;
    uint64_t cqes = 0;  // whose bytes are held
    // The first position at which bytes had changed, if any, with the stream and the CQE's offset.
    std::optional<uint64_t> changed = {};
    uint32_t stream = 0;
    uint64_t offset = 0;
};

// Entries that the kernel had not yet taken from the refill ring, when it had no buffer.
struct RefillRead {
    uint32_t ifq = 0;
    uint32_t entries = 0;
};

// Requests of a stream may end with this result, for a cause that no other event shows.
struct EndMeant {
    uint32_t stream = 0;
    int32_t result = 0;
    std::string cause = {};
};

// Exactly this many payload bytes that this ifq delivers are to be copied (a fault made the device
// put them elsewhere); all others by zero copy. Several of one ifq add up. Where a sender repeated
// a segment, and the device wrote one of the two where it can be had without a copy, either may
// have come first: `undecided` bytes more may be copied.
struct CopiesExpected {
    uint32_t ifq = 0;
    uint64_t bytes = 0;
    uint64_t undecided = 0;
};

// How many of the bytes that an ifq of a NIC delivers are copied is not known, and why.
struct CopiesNotTold {
    uint32_t ifq = 0;
    CopiesUnknown why = CopiesUnknown::kRandomFaults;
};

// What the driver counted on a receive queue while an ifq had it, headers included. Recorded where
// the device has no log: a weaker witness, which says what came in through the queue, and not where
// it was written.
struct QueueCounted {
    uint32_t ifq = 0;
    std::string interface = {};
    uint32_t queue = 0;
    uint64_t packets = 0;
    uint64_t bytes = 0;
    // The ifq delivers more behind this, uncounted, until its ring is closed in the middle.
    bool goes_on = false;
};

// The ring was closed; when its provider left the queue.
struct ProviderReleased {
    std::string interface = {};
    uint32_t queue = 0;
    bool released = false;    // false: it was still there at the bound
    double milliseconds = 0;  // from the close
    double bound_milliseconds = 5000;
    std::string unknown = {};  // why nobody knows: the kernel did not answer, up to the bound
};

// A system-wide number before (first) and after (second) a test: pinned pages, locked memory, page
// pools ... `allowed` says how much it may differ. One that could not be read is not there.
struct CounterCompared {
    std::string name = {};
    std::optional<int64_t> before = {};
    std::optional<int64_t> after = {};
    int64_t allowed = 0;
    std::string unread = {};  // why it could not be read after the test
};

// The NIC's configuration as text lines, before and after a test.
struct NicCompared {
    std::string interface = {};
    std::vector<std::string> before = {};
    std::vector<std::string> after = {};
};

// A call whose result is promised. Errors are positive errno values, 0 = success.
struct CallReturned {
    std::string call = {};
    int expected = 0;
    int seen = 0;
};

// The test ended with everything that was asked for done: totals must agree from here on.
struct StreamFinished {
    uint32_t stream = 0;
    bool complete = true;  // false: the test ends the stream early on purpose
};

// What was done, as a list of actions has it: each line of a list, or what no other event says.
struct ActionDone {
    std::string action = {};
    bool of_list = false;  // a list was run, all of whose lines are events like this one
};

// Free text, for people.
struct Note {
    std::string text = {};
};

using EventBody =
    std::variant<IfqRegistered, AreaRegistered, ConnectionOpened, PeerSent, PeerClosed,
                 RequestSubmitted, CqeSeen, BufferReturned, DmaWrites, FaultInjected, KernelMessage,
                 CapacityMeasured, ProviderReleased, CounterCompared, NicCompared, CallReturned,
                 StreamFinished, Note, RingClosed, CopiesExpected, QueueCounted, ActionDone,
                 OtherSubmitted, OtherCqeSeen, CqFull, CqRead, CqMayOverflow, HeldCompared,
                 RefillRead, EndMeant, CountAsked, BuffersNotCounted, CopiesNotTold, ForbiddenAsked,
                 DriverWatched>;

struct Event {
    uint64_t nanoseconds = 0;  // CLOCK_MONOTONIC of the guest
    EventBody body;
    uint32_t thread = 0;  // the thread that saw it, in the guest; 0 = the runner, or not known
};

}  // namespace zcrxlab
