// Stage: does what a list of actions says, inside a scene, so that every invariant judges it.
//
// What a list makes is kept by its name until the list closes it, or the thread that made it ends.
// What could not be made (a refused registration) is not there: actions on it are left out, with a
// note in the trace.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/actions/list.hpp"
#include "harness/net/peer.hpp"
#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/receiver.hpp"
#include "harness/ring/ring.hpp"
#include "scenarios/form/departure.hpp"
#include "scenarios/form/scene.hpp"

namespace zcrxlab {

class Stage {
  public:
    explicit Stage(Scene& scene) : scene_(scene) {}
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // All of it; ends when its threads have ended and everything is closed.
    void perform(const ActionList& list);

  private:
    struct RingOnStage {
        explicit RingOnStage(Ring made) : ring(std::move(made)) {}
        Ring ring;
        std::unique_ptr<Receiver> receiver;
        std::string thread;
        uint64_t nops = 0;      // whose CQEs have not come
        uint64_t refusals = 0;  // requests that must be refused, whose CQEs have not come
        std::optional<Completion> refused;
        std::vector<Completion> events;
        // By user_data and type: how often an event was told, less how often it was armed again.
        std::map<std::pair<uint64_t, int32_t>, int> told;
    };
    struct IfqOnStage {
        std::shared_ptr<Ifq> ifq;  // of all rings that have it
        std::string ring;
        uint32_t zcrx_id = 0;
        uint32_t queue = 0;
        std::map<std::string, TcpListener> listeners;  // by route and family
    };
    struct StreamOnStage {
        std::string ifq;
        uint32_t number = 0;
        uint64_t seed = 0;
        uint64_t asked = 0;  // bytes that the peer was told to send
        Fd socket;
        std::unique_ptr<Peer> peer;
        bool added = false;       // the receiver knows it
        StreamState before = {};  // as it was when it was armed last
        bool ended_well = false;  // with all of its bytes
    };

    void perform_lines_of(const std::string& thread, const ActionList& list);
    void perform(const Action& action, const ActionList& list);

    // What makes and closes (stage_things.cpp).
    void make_ring(const Action& action);
    void make_ifq(const Action& action);
    // Of an area that the action makes: huge pages, until the end.
    void reserve_pages(const Action& action);
    void import_ifq(const Action& action);
    void make_box(const Action& action);
    void add_area(const Action& action);
    void connect(const Action& action);
    void close_ring(const std::string& name);
    void close_rings_of(const std::string& thread);
    // `route` is that of "connect".
    TcpListener& listener(IfqOnStage& ifq, const TcpOptions& options,
                          const std::string& route = "queue");
    TcpOptions ends_of(const IfqOnStage& ifq, uint64_t family, const std::string& route = "queue");

    // What moves bytes (stage_streams.cpp).
    void arm(const Action& action);
    void refuse(const Action& action);
    void cancel(const Action& action);
    void count(const Action& action);
    void compare_buffers(const Action& action);
    void send_urgent(const Action& action);
    void arm_event(const Action& action);
    void wait(const Action& action);
    void wait_for_queued(StreamOnStage& stream, uint64_t bytes, std::chrono::milliseconds within);
    void run_until_quiet(const Action& action);
    void submit_nops(const Action& action);
    void set_policy(const Action& action);
    void give_back(const Action& action);
    void await_event(const Action& action);
    void count_capacity(const Action& action);
    // Receives on `ring` until the condition holds; false if it did not in time.
    bool receive(RingOnStage& ring, std::chrono::milliseconds within,
                 const std::function<bool()>& condition);
    // Sorts CQEs that belong to no request: NOPs, events, and those that should not be.
    void sort_other(RingOnStage& ring);
    // Each NOP has exactly one CQE: none is missing before the ring goes.
    void await_nops(RingOnStage& ring);
    [[noreturn]] void give_up(const std::string& sentence);

    // What is around (stage_surroundings.cpp).
    void change_nic(const Action& action);
    void reset_device();
    void remove_device(const Action& action);
    void bring_device_back();
    // As Scene::steer(); what a device that left had of rules is gone with it.
    void steer(const FlowRule& rule);
    void fork_child(const std::string& name);
    void start_process(const std::string& name, const ActionList& list);
    void reap(const std::string& name);
    void kill_child(const std::string& name);
    // Takes out the rules that a process which was killed has left.
    void forget_rules_of(const std::string& name);
    // Once no process is left: what they had imported goes with the last one.
    void close_left_to_children();

    // The things; null, with a note, where one is not there.
    RingOnStage* ring(const std::string& name);
    IfqOnStage* ifq(const std::string& name);
    StreamOnStage* stream(const std::string& name);
    template <typename T>
    T* find(std::map<std::string, std::unique_ptr<T>>& things, const std::string& name) {
        const std::lock_guard lock(mutex_);
        const auto found = things.find(name);
        if (found != things.end()) return found->second.get();
        scene_.note("left out: there is no " + name);
        return nullptr;
    }
    // Judges a call by what the action expects; whether it succeeded.
    bool returned(const Action& action, int code, const std::string& sentence);
    std::chrono::milliseconds within(const Action& action) const;
    bool on_device(const Action& registration);
    // As Scene::prepare_nic(), which would turn on what the list has turned off.
    void prepare_nic();

    Scene& scene_;
    std::mutex mutex_;  // of the maps; what is in them belongs to one thread
    std::map<std::string, std::unique_ptr<RingOnStage>> rings_;
    std::map<std::string, std::unique_ptr<IfqOnStage>> ifqs_;
    std::map<std::string, std::unique_ptr<StreamOnStage>> streams_;
    std::map<std::string, std::unique_ptr<Fd>> boxes_;
    std::map<std::string, std::thread> threads_;
    std::map<std::string, pid_t> children_;
    std::map<std::string, Fd> rules_of_children_;  // from which their locations are read
    std::map<std::string, std::vector<uint32_t>> streams_of_children_;  // their numbers, at most
    std::vector<uint32_t> left_to_children_;  // ifqs whose rings here are closed
    uint32_t processes_ = 0;                  // that were started
    Fd rules_;                                // of this child, for its parent
    std::atomic<bool> split_off_ = false;     // by the list
    bool may_depart_ = false;                 // the list takes the NIC away
    std::unique_ptr<Departure> departure_;    // while the NIC is away
    const std::shared_ptr<std::atomic<unsigned>> departures_ =
        std::make_shared<std::atomic<unsigned>>(0);
};

}  // namespace zcrxlab
