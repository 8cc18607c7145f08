// Model: one list from one seed.
#include "vm/fuzz/model.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "vm/fuzz/random.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDeviceArea = 8U << 20;  // more than a NIC's receive ring takes
constexpr uint64_t kMostQueued = 300'000;   // what surely fits into a socket of 4 MiB

// A registration that the contract refuses, and how.
struct Refused {
    const char* parameter;
    uint64_t value;
    const char* code;
};
constexpr std::array kRefused = {
    Refused{"reg.flags", 0x12, "EINVAL"},       Refused{"reg.zcrx_id", 1, "EINVAL"},
    Refused{"reg.resv", 1, "EINVAL"},           Refused{"reg.rq_entries", 0, "EINVAL"},
    Refused{"reg.rq_entries", 40000, "EINVAL"}, Refused{"area.offset", 1, "EINVAL"},
    Refused{"area.len", 0, "EFAULT"},           Refused{"area.addr", 0, "EFAULT"},

    Refused{"area.flags", 8, "EINVAL"},         Refused{"area.resv", 1, "EINVAL"},
    Refused{"area.dmabuf_fd", 5, "EINVAL"},     Refused{"region.id", 1, "EINVAL"},
    Refused{"region.size", 0, "EINVAL"},        Refused{"region.mmap_offset", 4096, "EINVAL"},
};

struct Stream {
    std::string name;
    uint64_t sent = 0;      // asked of the peer
    uint64_t received = 0;  // waited for
    bool armed = false;     // or armed again by the loop
    bool ended = false;
};

class Model {
  public:
    Model(const ModelOptions& options, uint64_t number)
        : options_(options), random_(options.seed, number) {
        list_.comments = {"random list " + std::to_string(number) + " of seed " +
                          std::to_string(options.seed)};
    }

    ActionList make() {
        make_ring();
        if (random_.percent(15)) refuse_a_registration();
        make_ifq();
        const uint64_t streams = random_.percent(70) ? 1 : random_.between(2, 3);
        for (uint64_t i = 0; i < streams; ++i) connect();
        const uint64_t steps = random_.between(2, 8);
        for (uint64_t i = 0; i < steps; ++i) step();
        for (Stream& stream : streams_) finish(stream);
        if (random_.percent(30)) add(Verb::kClose, "r");
        return std::move(list_);
    }

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
        if (mixed_) cq_ = std::max<uint64_t>(cq_, 8);
        ring.set("sq", std::min<uint64_t>(cq_, random_.one_of<uint64_t>({1, 2, 16, 64})));
        ring.set("cq", cq_);
        if (mixed_) ring.set("cqes", "mixed");
    }

    void refuse_a_registration() {
        const Refused& refused = kRefused[random_.below(kRefused.size())];
        Action& bad = add(Verb::kRegister, "bad");
        bad.set("ring", "r");
        bad.set(refused.parameter, refused.value);
        bad.set("expect", refused.code);
    }

    void make_ifq() {
        Action& ifq = add(Verb::kRegister, "q");
        ifq.set("ring", "r");
        if (options_.device) {
            ifq.set("device", "yes");
            area_ = kDeviceArea;
        } else if (options_.huge && random_.percent(4)) {
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
    }

    void connect() {
        const std::string name = "s" + std::to_string(streams_.size() + 1);
        Action& made = add(Verb::kConnect, name);
        made.set("ifq", "q");
        if (random_.percent(40)) made.set("mss", random_.one_of<uint64_t>({536, 1000, 1400}));
        streams_.push_back({name});
    }

    void send(Stream& stream) {
        const uint64_t bytes = random_.percent(20)   ? random_.between(1, 10)
                               : random_.percent(60) ? random_.between(1000, 80'000)
                                                     : random_.between(1, kMostQueued);
        Action& sent = add(Verb::kSend, stream.name);
        sent.set("bytes", bytes);
        if (random_.percent(50))
            sent.set("cut", random_.one_of<uint64_t>({1000, 4096, 5000, 20'000}));
        stream.sent += bytes;
    }

    void arm(Stream& stream) {
        if (stream.armed) return;
        Action& armed = add(Verb::kArm, stream.name);
        if (random_.percent(15)) armed.set("limit", random_.one_of<uint64_t>({1000, 4096, 50'000}));
        if (random_.percent(10)) armed.set("poll_first", "yes");
        stream.armed = true;
    }

    void receive(Stream& stream) {
        arm(stream);
        if (stream.sent == stream.received) return;
        add(Verb::kWait, stream.name).set("bytes", stream.sent);
        stream.received = stream.sent;
        if (events_ && random_.percent(50)) {
            add(Verb::kAwait, "q").set("event", "copy");
            add(Verb::kEvents, "q").set("arm", "copy");
            events_ = false;
        }
    }

    // Data lies in the socket, and nothing more comes, when the request meets it.
    void burst(Stream& stream) {
        if (stream.armed || stream.sent - stream.received > kMostQueued) return receive(stream);
        send(stream);
        if (stream.sent - stream.received <= 2 * kMostQueued)
            add(Verb::kWait, stream.name).set("queued", stream.sent - stream.received);
        if (random_.percent(40)) fill_cq();
        arm(stream);
        if (random_.percent(50)) add(Verb::kSubmit, "r");
        receive(stream);
    }

    // NOPs, so that few slots or an odd number of them are free.
    void fill_cq() {
        const uint64_t count = std::min<uint64_t>(cq_, 64);
        add(Verb::kNop, "r").set("count", random_.between(1, count));
    }

    void cancel(Stream& stream) {
        if (!stream.armed) return;
        receive(stream);
        add(Verb::kCancel, stream.name);
        stream.armed = false;
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
        add(Verb::kPolicy, "r").set("returns", "never");
        Action& sent = add(Verb::kSend, stream.name);
        sent.set("bytes", area_ + random_.between(1, 50'000));
        stream.sent += sent.number("bytes");
        add(Verb::kWait, stream.name).set("final", "ENOMEM");
        if (random_.percent(50)) senseless();
        add(Verb::kReturn, "q");
        add(Verb::kFlush, "q");
        add(Verb::kPolicy, "r").set("returns", "at_once");
        stream.armed = false;
        receive(stream);
    }

    // Entries that name nothing are taken up and forgotten.
    void senseless() {
        Action& back = add(Verb::kReturn, "q");
        back.set("count", random_.between(1, 4));
        back.set("as", random_.one_of<const char*>({"bad_area", "bad_index", "bad_padding"}));
    }

    void finish(Stream& stream) {
        if (random_.percent(15)) return;
        receive(stream);
        Action& end = add(Verb::kEnd, stream.name);
        if (random_.percent(15)) {
            end.set("how", "reset");
            return;
        }
        add(Verb::kWait, stream.name).set("eof", "yes");
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
    bool mixed_ = false, huge_ = false, events_ = false;
};

}  // namespace

ActionList random_list(const ModelOptions& options, uint64_t number) {
    return Model(options, number).make();
}

}  // namespace zcrxlab
