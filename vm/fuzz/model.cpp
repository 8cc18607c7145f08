// Model: one list from one seed.
#include "vm/fuzz/model.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "vm/fuzz/refusals.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDeviceArea = 8U << 20;  // more than a NIC's receive ring takes
constexpr uint64_t kMostQueued = 300'000;   // what surely fits into a socket of 4 MiB
// More than a CQE and a buffer for each segment of what three streams may have under way, also
// while most of what was given back waits to be flushed: no request ends for want of them.
constexpr uint64_t kAmpleSlots = 4096;
constexpr uint64_t kAmpleArea = 2048 * kPage;
// Of a fault that TCP gets over, whatever it hits.
constexpr std::array kFaults = {"drop", "duplicate", "reorder", "delay"};

struct Stream {
    std::string name;
    uint64_t sent = 0;      // asked of the peer
    uint64_t received = 0;  // waited for
    bool armed = false;     // or armed again by the loop
    bool ended = false;
    // Counted where nothing but an end, a limit or a cancel can end a request.
    uint64_t requests = 0;
    uint64_t finals = 0;
    uint64_t limit = 0;        // of the request that is armed
    uint64_t armed_since = 0;  // position
};

class Model {
  public:
    Model(const ModelOptions& options, const Origin& origin) : options_(options), random_(origin) {
        list_.comments = {to_text(origin)};
    }

    ActionList make() {
        ample_ = !options_.device && random_.percent(25);
        make_ring();
        if (random_.percent(15))
            for (Action& action : refused_registration(random_, options_.device, "r"))
                list_.actions.push_back(std::move(action));
        make_ifq();
        const uint64_t streams = random_.percent(70) ? 1 : random_.between(2, 3);
        for (uint64_t i = 0; i < streams; ++i) connect();
        if (options_.device && random_.percent(25)) inject();
        const uint64_t steps = random_.between(2, 8);
        for (uint64_t i = 0; i < steps; ++i) step();
        for (Stream& stream : streams_) finish(stream);
        count_buffers();
        if (random_.percent(30)) add(Verb::kClose, "r");
        return std::move(list_);
    }
    uint64_t choices() const { return random_.choices(); }

  private:
    Action& add(Verb verb, const std::string& name) {
        Action action;
        action.verb = verb;
        action.name = name;
        list_.actions.push_back(std::move(action));
        return list_.actions.back();
    }

    void make_ring() {
        Action& ring = add(Verb::kRing, "r");
        if (options_.mixed && random_.percent(30)) mixed_ = true;
        cq_ = random_.percent(50) ? random_.one_of<uint64_t>({2, 4, 8, 16, 32})
                                  : random_.one_of<uint64_t>({64, 1024, 4096});
        // The slots of its CQEs are of two sizes: where it ends, and where it is full, matters
        // most.
        if (mixed_)
            cq_ = random_.percent(60) ? random_.one_of<uint64_t>({8, 16, 32})
                                      : std::max<uint64_t>(cq_, 8);
        if (ample_) cq_ = kAmpleSlots;
        ring.set("sq", std::min<uint64_t>(cq_, random_.one_of<uint64_t>({1, 2, 16, 64})));
        ring.set("cq", cq_);
        if (mixed_) ring.set("cqes", "mixed");
    }

    void make_ifq() {
        Action& ifq = add(Verb::kRegister, "q");
        ifq.set("ring", "r");
        if (options_.device) {
            ifq.set("device", "yes");
            area_ = kDeviceArea;
        } else if (ample_) {
            area_ = kAmpleArea;
        } else if (options_.huge && random_.percent(5)) {
            // 6 MiB do not divide 4 GiB: an offset that loses its upper half names other bytes.
            area_ = (uint64_t{4} << 30) + (24U << 20);
            ifq.set("memory", "repeated");
            ifq.set("repeat", 6U << 20);
            ifq.set("rq", 1024);
            huge_ = true;
        } else {
            area_ = kPage * (random_.percent(40) ? random_.between(1, 16)
                                                 : random_.one_of<uint64_t>({32, 64, 256}));
        }
        ifq.set("area", area_);
        if (!huge_ && random_.percent(20))
            ifq.set("memory", random_.one_of<const char*>({"memfd", "transparent"}));
        if (!huge_ && random_.percent(20))
            ifq.set("rq", random_.one_of<uint64_t>({1, 4, 64, 1024}));
        if (random_.percent(15))
            ifq.set("rq_memory", "kernel");
        else if (random_.percent(15))
            ifq.set("dirty", "yes");
        if (options_.events && random_.percent(10)) {
            ifq.set("events", "copy");
            events_ = !options_.device;  // without a NIC the first bytes are copied
        }
        // What has not fired cannot be armed again.
        if (events_ && random_.percent(50)) arm_event("EINVAL");
    }

    void arm_event(std::string_view code) {
        Action& armed = add(Verb::kEvents, "q");
        armed.set("arm", "copy");
        if (code != "success") armed.set("expect", code);
    }

    // One that TCP gets over.
    void inject() {
        add(Verb::kFault, "").text = std::string(R"({"what":")") +
                                     kFaults[random_.below(kFaults.size())] +
                                     R"(","match":{"protocol":"tcp","payload":true,"every":)" +
                                     std::to_string(random_.between(2, 9)) + R"(,"count":)" +
                                     std::to_string(random_.between(1, 4)) + "}}";
    }

    void connect() {
        const std::string name = "s" + std::to_string(streams_.size() + 1);
        Action& made = add(Verb::kConnect, name);
        made.set("ifq", "q");
        if (random_.percent(40)) made.set("mss", random_.one_of<uint64_t>({536, 1000, 1400}));
        Stream stream;
        stream.name = name;
        streams_.push_back(std::move(stream));
    }

    void send(Stream& stream) {
        const uint64_t bytes = random_.percent(20)   ? random_.between(1, 10)
                               : random_.percent(60) ? random_.between(1000, 80'000)
                                                     : random_.between(1, kMostQueued);
        if (ample_ && stream.sent + bytes - stream.received > kMostQueued) receive(stream);
        Action& sent = add(Verb::kSend, stream.name);
        sent.set("bytes", bytes);
        if (random_.percent(50))
            sent.set("cut", random_.one_of<uint64_t>({1000, 4096, 5000, 20'000}));
        stream.sent += bytes;
    }

    void arm(Stream& stream) {
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

    void refuse(const Stream& stream) {
        const WrongRequest& wrong = wrong_requests()[random_.below(wrong_requests().size())];
        Action& refused = add(Verb::kRefuse, stream.name);
        refused.set("as", wrong.as);
        refused.set("expect", wrong.code);
    }

    // The CQEs that there are when everything was received.
    void count(Stream& stream) {
        if (!ample_ || !random_.percent(60)) return;
        Action& counted = add(Verb::kCount, stream.name);
        counted.set("requests", stream.requests);
        counted.set("finals", stream.finals);
        // None has more than a page.
        counted.set("least", (stream.received + kPage - 1) / kPage);
    }

    // Requests that reach their limit end, and others take their place.
    void pass_limits(Stream& stream) {
        if (stream.limit == 0) return;
        const uint64_t reached = (stream.received - stream.armed_since) / stream.limit;
        stream.armed_since += reached * stream.limit;
        stream.requests += reached;
        stream.finals += reached;
    }

    void receive(Stream& stream) {
        arm(stream);
        if (stream.sent == stream.received) return;
        add(Verb::kWait, stream.name).set("bytes", stream.sent);
        stream.received = stream.sent;
        pass_limits(stream);
        count(stream);
        if (events_ && random_.percent(50)) {
            add(Verb::kAwait, "q").set("event", "copy");
            arm_event("success");
            // Nothing was copied since.
            if (streams_.size() == 1 && random_.percent(50)) arm_event("EINVAL");
            events_ = false;
        }
    }

    // Data lies in the socket, and nothing more comes, when the request meets it.
    void burst(Stream& stream) {
        if (stream.armed || stream.sent - stream.received > kMostQueued) return receive(stream);
        send(stream);
        if (stream.sent - stream.received <= 2 * kMostQueued)
            add(Verb::kWait, stream.name).set("queued", stream.sent - stream.received);
        if (random_.percent(mixed_ ? 80 : 40)) fill_cq();
        arm(stream);
        if (random_.percent(50)) add(Verb::kSubmit, "r");
        receive(stream);
    }

    // NOPs: any number, or so many that few slots are free.
    void fill_cq() {
        const uint64_t most = std::min<uint64_t>(cq_, 64);
        const uint64_t free = random_.below(4);
        const bool edge = cq_ <= 64 && random_.percent(60);
        add(Verb::kNop, "r")
            .set("count", edge && free < cq_ ? cq_ - free : random_.between(1, most));
    }

    void cancel(Stream& stream) {
        if (!stream.armed) return;
        receive(stream);
        // A request that may just have reached its limit is another one by the time of the cancel.
        if (stream.limit != 0) return;
        add(Verb::kCancel, stream.name);
        stream.armed = false;
        ++stream.finals;
        count(stream);
    }

    void set_policy() {
        Action& policy = add(Verb::kPolicy, "r");
        const char* returns = random_.one_of<const char*>({"at_once", "hold", "reverse"});
        policy.set("returns", returns);
        // Less than the area, or the stream could not go on.
        const uint64_t pages = area_ / kPage;
        if (returns[0] != 'a')
            policy.set("hold", random_.between(0, std::min<uint64_t>(pages / 4, 64)));
    }

    // Everything is held until the area is empty: a copy then has to end with -ENOMEM.
    void exhaust(Stream& stream) {
        if (options_.device || huge_ || area_ > 64 * kPage || streams_.size() > 1 || mixed_ ||
            cq_ < 1024)
            return receive(stream);
        receive(stream);
        // A request of its own: what ended others is not what is waited for.
        cancel(stream);
        if (stream.armed) return;
        // What lies in the refill ring is not free.
        flush_all();
        add(Verb::kPolicy, "r").set("returns", "never");
        Action& sent = add(Verb::kSend, stream.name);
        sent.set("bytes", area_ + random_.between(1, 50'000));
        stream.sent += sent.number("bytes");
        add(Verb::kArm, stream.name);
        add(Verb::kWait, stream.name).set("final", "ENOMEM");
        add(Verb::kBuffers, "q").set("held", area_ / kPage);
        if (random_.percent(50)) senseless();
        add(Verb::kReturn, "q");
        flush_all();
        Action& none = add(Verb::kBuffers, "q");
        none.set("held", uint64_t{0});
        none.set("entries", uint64_t{0});
        add(Verb::kPolicy, "r").set("returns", "at_once");
        stream.armed = false;
        receive(stream);
    }

    // A flush may end at an entry that names nothing.
    void flush_all() {
        for (uint64_t i = 0; i <= senseless_; ++i) add(Verb::kFlush, "q");
        senseless_ = 0;
    }

    // All of them come out again, and none twice.
    void count_buffers() {
        if (options_.device || huge_ || mixed_ || cq_ < 64 || area_ > 256 * kPage) return;
        if (!random_.percent(20)) return;
        // What lies behind an entry that names nothing is not free either.
        flush_all();
        add(Verb::kCapacity, "q");
    }

    // Entries that name nothing are taken up and forgotten.
    void senseless() {
        Action& back = add(Verb::kReturn, "q");
        back.set("count", random_.between(1, 4));
        senseless_ += back.number("count");
        back.set("as", random_.one_of<const char*>({"bad_area", "bad_index", "bad_padding"}));
    }

    // The end comes behind everything that was received, or together with what was not.
    void finish(Stream& stream) {
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

    void step() {
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

    const ModelOptions& options_;
    Random random_;
    ActionList list_;
    std::vector<Stream> streams_;
    uint64_t cq_ = 0;
    uint64_t area_ = 0;
    uint64_t senseless_ = 0;  // entries in the refill ring, at most
    bool mixed_ = false, huge_ = false, events_ = false, ample_ = false;
};

}  // namespace

ActionList list_of(const ModelOptions& options, const Origin& origin, uint64_t* choices) {
    Model model(options, origin);
    ActionList list = model.make();
    if (choices != nullptr) *choices = model.choices();
    return list;
}

ActionList random_list(const ModelOptions& options, uint64_t number) {
    return list_of(options, {{0, options.seed, number}});
}

}  // namespace zcrxlab
