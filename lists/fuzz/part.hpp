// Part: makes the lines of one thread of a random list, which has a ring of its own, an ifq and
// some streams, and says what has to come of them. It knows nothing of other threads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lists/fuzz/model.hpp"
#include "lists/fuzz/random.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

class Part {
  public:
    struct Role {
        std::string thread = {};  // that does its lines; empty: the first one
        std::string suffix = {};  // of the names of its things
        bool shares = false;      // it has no ifq of its own, but imports a roomy one
    };
    // `options` and `random` are borrowed.
    Part(const ModelOptions& options, Random& random, Role role);

    // All that the first thread does.
    void make_first();
    // Of what another thread or process does: the ring, and its ifq or an import of `box`, whose
    // ifq is as `exporter` says.
    void open();
    void open(const Part& exporter, const std::string& box);
    // Streams from their first byte to their last.
    void live();
    // Buffers are held, data is under way, and nothing more is done about it for a minute.
    void wait_for_the_end();

    // Its actions so far, in order; moved out.
    std::vector<Action> take() { return std::exchange(actions_, {}); }
    // Whether others may take buffers of its area, and nothing that it says about its own becomes
    // wrong by that.
    bool may_share() const { return roomy() && !tells_copies_; }
    std::string ring() const { return "r" + role_.suffix; }
    std::string ifq() const { return "q" + role_.suffix; }

  private:
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

    // The area has more buffers than all that is ever under way.
    bool roomy() const { return ample_ || options_.device; }
    Action& add(Verb verb, const std::string& name);

    bool choose_mixed();
    void make_ring(bool mixed);
    void make_ifq();
    void arm_event(std::string_view code);
    void inject();
    void connect();
    void connect_some();

    void step();
    void send(Stream& stream);
    void send(Stream& stream, uint64_t bytes);
    void arm(Stream& stream);
    void refuse(const Stream& stream);
    void count(Stream& stream);
    void pass_limits(Stream& stream);
    void receive(Stream& stream);
    void burst(Stream& stream);
    void fill_cq();
    void cancel(Stream& stream);
    void set_policy();
    void exhaust(Stream& stream);
    void flush_all();
    void count_buffers();
    void senseless();
    void finish(Stream& stream);

    const ModelOptions& options_;
    Random& random_;
    Role role_;
    std::vector<Action> actions_;
    std::vector<Stream> streams_;
    uint64_t cq_ = 0;
    uint64_t area_ = 0;
    uint64_t senseless_ = 0;  // entries in the refill ring, at most
    bool mixed_ = false, huge_ = false, events_ = false, ample_ = false;
    bool tells_copies_ = false;  // the ifq was registered with an event of copies
};

}  // namespace zcrxlab
