// Part: chooses what a thread does, and keeps count of what has to come of it.
#include "lists/fuzz/part.hpp"

#include <algorithm>
#include <array>

#include "harness/faults/fault_rule_json.hpp"
#include "lists/fuzz/refusals.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDeviceArea = 8U << 20;  // more than a NIC's receive ring takes
constexpr uint64_t kMostQueued = 300'000;   // what surely fits into a socket of 4 MiB
// More than a CQE and a buffer for each segment of what three streams may have under way, also
// while most of what was given back waits to be flushed: no request ends for want of them.
constexpr uint64_t kAmpleSlots = 4096;
constexpr uint64_t kAmpleArea = 2048 * kPage;
constexpr uint64_t kMostHeld = 80'000;         // of which a roomy area has enough left for others
constexpr uint64_t kAsGoodAsForEver = 60'000;  // milliseconds
// Of a fault that TCP gets over, whatever it hits.
constexpr std::array kFaults = {FaultKind::kDrop, FaultKind::kDuplicate, FaultKind::kReorder,
                                FaultKind::kDelay};

}  // namespace

Part::Part(const ModelOptions& options, Random& random, Role role)
    : options_(options), random_(random), role_(std::move(role)) {
    ample_ = !options_.device && random_.percent(role_.shares ? 100 : 25);
}

void Part::make_first() {
    make_ring(choose_mixed());
    if (random_.percent(15))
        for (Action& action : refused_registration(random_, options_.device, ring()))
            actions_.push_back(std::move(action));
    make_ifq();
    connect_some();
    if (options_.device && random_.percent(25)) inject();
    for (uint64_t steps = random_.between(2, 8); steps > 0; --steps) step();
    for (Stream& stream : streams_) finish(stream);
    count_buffers();
    if (random_.percent(30)) add(Verb::kClose, ring());
}

void Part::open() {
    make_ring(choose_mixed());
    make_ifq();
}

void Part::open(const Part& exporter, const std::string& box) {
    // A trace says of an ifq, not of each of its rings, whether CQEs are of both sizes.
    make_ring(exporter.mixed_);
    Action& made = add(Verb::kImport, ifq());
    made.set("ring", ring());
    made.set("box", box);
    area_ = exporter.area_;
}

void Part::live() {
    connect_some();
    for (uint64_t steps = random_.between(1, 4); steps > 0; --steps) step();
    for (Stream& stream : streams_) finish(stream);
    count_buffers();
}

void Part::wait_for_the_end() {
    connect();
    Stream& stream = streams_.front();
    // Of a small area so much must stay that the stream can go on.
    if (roomy())
        add(Verb::kPolicy, ring()).set("returns", "never");
    else
        set_policy();
    send(stream, random_.between(1000, kMostHeld));
    receive(stream);
    send(stream, random_.between(1000, kMostHeld));
    if (random_.percent(50)) add(Verb::kSubmit, ring());
    add(Verb::kPause, "").set("ms", kAsGoodAsForEver);
}

Action& Part::add(Verb verb, const std::string& name) {
    Action action;
    action.verb = verb;
    action.thread = role_.thread;
    action.name = name;
    actions_.push_back(std::move(action));
    return actions_.back();
}

bool Part::choose_mixed() {
    return options_.mixed && random_.percent(30);
}

void Part::make_ring(bool mixed) {
    Action& made = add(Verb::kRing, ring());
    mixed_ = mixed;
    cq_ = random_.percent(50) ? random_.one_of<uint64_t>({2, 4, 8, 16, 32})
                              : random_.one_of<uint64_t>({64, 1024, 4096});
    // The slots of its CQEs are of two sizes: where it ends, and where it is full, matters
    // most.
    if (mixed_)
        cq_ = random_.percent(60) ? random_.one_of<uint64_t>({8, 16, 32})
                                  : std::max<uint64_t>(cq_, 8);
    if (ample_) cq_ = kAmpleSlots;
    made.set("sq", std::min<uint64_t>(cq_, random_.one_of<uint64_t>({1, 2, 16, 64})));
    made.set("cq", cq_);
    if (mixed_) made.set("cqes", "mixed");
}

void Part::make_ifq() {
    Action& made = add(Verb::kRegister, ifq());
    made.set("ring", ring());
    if (options_.device) {
        made.set("device", "yes");
        area_ = kDeviceArea;
    } else if (ample_) {
        area_ = kAmpleArea;
    } else if (options_.huge && role_.thread.empty() && random_.percent(5)) {
        // 6 MiB do not divide 4 GiB: an offset that loses its upper half names other bytes.
        area_ = (uint64_t{4} << 30) + (24U << 20);
        made.set("memory", "repeated");
        made.set("repeat", 6U << 20);
        made.set("rq", 1024);
        huge_ = true;
    } else {
        area_ = kPage * (random_.percent(40) ? random_.between(1, 16)
                                             : random_.one_of<uint64_t>({32, 64, 256}));
    }
    made.set("area", area_);
    if (!huge_ && random_.percent(20))
        made.set("memory", random_.one_of<const char*>({"memfd", "transparent"}));
    if (!huge_ && random_.percent(20)) made.set("rq", random_.one_of<uint64_t>({1, 4, 64, 1024}));
    if (random_.percent(15))
        made.set("rq_memory", "kernel");
    else if (random_.percent(15))
        made.set("dirty", "yes");
    if (options_.events && random_.percent(10)) {
        made.set("events", "copy");
        tells_copies_ = true;
        events_ = !options_.device;  // without a NIC the first bytes are copied
    }
    // What has not fired cannot be armed again.
    if (events_ && random_.percent(50)) arm_event("EINVAL");
}

void Part::arm_event(std::string_view code) {
    Action& armed = add(Verb::kEvents, ifq());
    armed.set("arm", "copy");
    if (code != "success") armed.set("expect", code);
}

// One that TCP gets over.
void Part::inject() {
    // In this order, on which what a seed gives depends.
    const FaultKind kind = kFaults[random_.below(kFaults.size())];
    const uint64_t every = random_.between(2, 9), count = random_.between(1, 4);
    add(Verb::kFault, "").text = fault_rule_text(
        {.what = kind,
         .match = {
             .protocol = FaultProtocol::kTcp, .payload = true, .every = every, .count = count}});
}

void Part::connect() {
    const std::string name = "s" + role_.suffix + std::to_string(streams_.size() + 1);
    Action& made = add(Verb::kConnect, name);
    made.set("ifq", ifq());
    if (random_.percent(40)) made.set("mss", random_.one_of<uint64_t>({536, 1000, 1400}));
    Stream stream;
    stream.name = name;
    streams_.push_back(std::move(stream));
}

void Part::connect_some() {
    for (uint64_t streams = random_.percent(70) ? 1 : random_.between(2, 3); streams > 0; --streams)
        connect();
}

void Part::send(Stream& stream) {
    const uint64_t bytes = random_.percent(20)   ? random_.between(1, 10)
                           : random_.percent(60) ? random_.between(1000, 80'000)
                                                 : random_.between(1, kMostQueued);
    if (ample_ && stream.sent + bytes - stream.received > kMostQueued) receive(stream);
    send(stream, bytes);
}

void Part::send(Stream& stream, uint64_t bytes) {
    Action& sent = add(Verb::kSend, stream.name);
    sent.set("bytes", bytes);
    if (random_.percent(50)) sent.set("cut", random_.one_of<uint64_t>({1000, 4096, 5000, 20'000}));
    stream.sent += bytes;
}

void Part::arm(Stream& stream) {
    if (stream.armed) return;
    if (random_.percent(5)) refuse(stream);
    Action& armed = add(Verb::kArm, stream.name);
    stream.limit = random_.percent(15) ? random_.one_of<uint64_t>({1000, 4096, 50'000}) : 0;
    if (stream.limit != 0) armed.set("limit", stream.limit);
    if (random_.percent(10)) armed.set("poll_first", "yes");
    stream.armed = true;
    stream.armed_since = stream.received;
    ++stream.requests;
}

void Part::refuse(const Stream& stream) {
    const WrongRequest& wrong = wrong_requests()[random_.below(wrong_requests().size())];
    Action& refused = add(Verb::kRefuse, stream.name);
    refused.set("as", wrong.as);
    refused.set("expect", wrong.code);
}

// The CQEs that there are when everything was received.
void Part::count(Stream& stream) {
    if (!ample_ || !random_.percent(60)) return;
    Action& counted = add(Verb::kCount, stream.name);
    counted.set("requests", stream.requests);
    counted.set("finals", stream.finals);
    // None has more than a page.
    counted.set("least", (stream.received + kPage - 1) / kPage);
}

// Requests that reach their limit end, and others take their place.
void Part::pass_limits(Stream& stream) {
    if (stream.limit == 0) return;
    const uint64_t reached = (stream.received - stream.armed_since) / stream.limit;
    stream.armed_since += reached * stream.limit;
    stream.requests += reached;
    stream.finals += reached;
}

void Part::receive(Stream& stream) {
    arm(stream);
    if (stream.sent == stream.received) return;
    add(Verb::kWait, stream.name).set("bytes", stream.sent);
    stream.received = stream.sent;
    pass_limits(stream);
    count(stream);
    if (events_ && random_.percent(50)) {
        add(Verb::kAwait, ifq()).set("event", "copy");
        arm_event("success");
        // Nothing was copied since.
        if (streams_.size() == 1 && random_.percent(50)) arm_event("EINVAL");
        events_ = false;
    }
}

// Data lies in the socket, and nothing more comes, when the request meets it.
void Part::burst(Stream& stream) {
    if (stream.armed || stream.sent - stream.received > kMostQueued) return receive(stream);
    send(stream);
    if (stream.sent - stream.received <= 2 * kMostQueued)
        add(Verb::kWait, stream.name).set("queued", stream.sent - stream.received);
    if (random_.percent(mixed_ ? 80 : 40)) fill_cq();
    arm(stream);
    if (random_.percent(50)) add(Verb::kSubmit, ring());
    receive(stream);
}

// NOPs: any number, or so many that few slots are free.
void Part::fill_cq() {
    const uint64_t most = std::min<uint64_t>(cq_, 64);
    const uint64_t free = random_.below(4);
    const bool edge = cq_ <= 64 && random_.percent(60);
    add(Verb::kNop, ring())
        .set("count", edge && free < cq_ ? cq_ - free : random_.between(1, most));
}

void Part::cancel(Stream& stream) {
    if (!stream.armed) return;
    receive(stream);
    // A request that may just have reached its limit is another one by the time of the cancel.
    if (stream.limit != 0) return;
    add(Verb::kCancel, stream.name);
    stream.armed = false;
    ++stream.finals;
    count(stream);
}

void Part::set_policy() {
    Action& policy = add(Verb::kPolicy, ring());
    const char* returns = random_.one_of<const char*>({"at_once", "hold", "reverse"});
    policy.set("returns", returns);
    // Less than the area, or the stream could not go on.
    const uint64_t pages = area_ / kPage;
    if (returns[0] != 'a')
        policy.set("hold", random_.between(0, std::min<uint64_t>(pages / 4, 64)));
}

// Everything is held until the area is empty: a copy then has to end with -ENOMEM.
void Part::exhaust(Stream& stream) {
    if (options_.device || huge_ || area_ > 64 * kPage || streams_.size() > 1 || mixed_ ||
        cq_ < 1024)
        return receive(stream);
    receive(stream);
    // A request of its own: what ended others is not what is waited for.
    cancel(stream);
    if (stream.armed) return;
    // What lies in the refill ring is not free.
    flush_all();
    add(Verb::kPolicy, ring()).set("returns", "never");
    Action& sent = add(Verb::kSend, stream.name);
    sent.set("bytes", area_ + random_.between(1, 50'000));
    stream.sent += sent.number("bytes");
    add(Verb::kArm, stream.name);
    add(Verb::kWait, stream.name).set("final", "ENOMEM");
    add(Verb::kBuffers, ifq()).set("held", area_ / kPage);
    if (random_.percent(50)) senseless();
    add(Verb::kReturn, ifq());
    flush_all();
    Action& none = add(Verb::kBuffers, ifq());
    none.set("held", uint64_t{0});
    none.set("entries", uint64_t{0});
    add(Verb::kPolicy, ring()).set("returns", "at_once");
    stream.armed = false;
    receive(stream);
}

// A flush may end at an entry that names nothing.
void Part::flush_all() {
    for (uint64_t i = 0; i <= senseless_; ++i) add(Verb::kFlush, ifq());
    senseless_ = 0;
}

// All of them come out again, and none twice.
void Part::count_buffers() {
    if (options_.device || huge_ || mixed_ || cq_ < 64 || area_ > 256 * kPage) return;
    if (!random_.percent(20)) return;
    // What lies behind an entry that names nothing is not free either.
    flush_all();
    add(Verb::kCapacity, ifq());
}

// Entries that name nothing are taken up and forgotten.
void Part::senseless() {
    Action& back = add(Verb::kReturn, ifq());
    back.set("count", random_.between(1, 4));
    senseless_ += back.number("count");
    back.set("as", random_.one_of<const char*>({"bad_area", "bad_index", "bad_padding"}));
}

// The end comes behind everything that was received, or together with what was not.
void Part::finish(Stream& stream) {
    if (random_.percent(15)) return;
    const bool all = random_.percent(60);
    if (all) receive(stream);
    const bool reset = random_.percent(20);
    if (!all && random_.percent(60)) send(stream);
    if (random_.percent(30)) arm(stream);
    Action& end = add(Verb::kEnd, stream.name);
    if (reset) end.set("how", "reset");
    if (!all && random_.percent(30)) add(Verb::kPause, "").set("ms", random_.between(1, 60));
    arm(stream);
    Action& wait = add(Verb::kWait, stream.name);
    if (!reset) {
        wait.set("eof", "yes");
        stream.received = stream.sent;
        pass_limits(stream);
        ++stream.finals;
        count(stream);
    } else if (all && stream.limit == 0) {
        wait.set("final", "ECONNRESET");
    } else {
        wait.set("final", "any");
    }
}

void Part::step() {
    Stream& stream = streams_[random_.below(streams_.size())];
    switch (random_.below(10)) {
        case 0:
        case 1:
            return send(stream);
        case 2:
        case 3:
            return receive(stream);
        case 4:
        case 5:
            return burst(stream);
        case 6:
            return cancel(stream);
        case 7:
            return set_policy();
        case 8:
            return exhaust(stream);
        default:
            if (random_.percent(20)) return refuse(stream);
            if (random_.percent(50)) return senseless();
            add(Verb::kPause, "").set("ms", random_.between(1, 60));
    }
}

}  // namespace zcrxlab
