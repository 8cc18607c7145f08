// ListPlayer: does what a list of actions says, inside a scene, so that every invariant judges it.
//
// It keeps what a list makes by its name, until the list closes it, or the thread that made it
// ends. What could not be made (a refused registration) is not there: the player leaves out
// actions on it, and adds a note to the trace.
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

#include "harness/net/peer.hpp"
#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/receiver.hpp"
#include "harness/ring/ring.hpp"
#include "lists/language/list.hpp"
#include "lists/verbs/row/player.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/surroundings/device_removal.hpp"

namespace zcrxlab {

class ListPlayer : public Player {
  public:
    explicit ListPlayer(Scene& scene) : scene_(scene) {}
    ~ListPlayer() override;
    ListPlayer(const ListPlayer&) = delete;
    ListPlayer& operator=(const ListPlayer&) = delete;

    // All of it; ends when its threads have ended and everything is closed.
    void perform(const ActionList& list);

  private:
    struct PlayedRing {
        explicit PlayedRing(Ring made) : ring(std::move(made)) {}
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
    struct PlayedIfq {
        std::shared_ptr<Ifq> ifq;  // of all rings that have it
        std::string ring;
        uint32_t zcrx_id = 0;
        uint32_t queue = 0;
        std::map<std::string, TcpListener> listeners;  // by route and family
    };
    struct PlayedStream {
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

    void perform_lines_of(const std::string& thread);

    // What makes and closes (stage_things.cpp).
    void make_ring(const Action& action) override;
    void make_ifq(const Action& action) override;
    // Of an area that the action makes: huge pages, until the end.
    void reserve_pages(const Action& action);
    void import_ifq(const Action& action) override;
    void make_box(const Action& action) override;
    void add_area(const Action& action) override;
    void connect(const Action& action) override;
    void close(const Action& action) override;
    void close_ring(const std::string& name, bool as_told);
    void close_rings_of(const std::string& thread);
    // `route` is that of "connect".
    TcpListener& listener(PlayedIfq& ifq, const TcpOptions& options,
                          const std::string& route = "queue");
    TcpOptions ends_of(const PlayedIfq& ifq, uint64_t family, const std::string& route = "queue");

    // What moves bytes (stage_streams.cpp).
    void send(const Action& action) override;
    void send_urgent(const Action& action) override;
    void end(const Action& action) override;
    void arm(const Action& action) override;
    void refuse(const Action& action) override;
    void cancel(const Action& action) override;
    void wait(const Action& action) override;
    void wait_for_queued(PlayedStream& stream, uint64_t bytes, std::chrono::milliseconds within);
    void run_until_quiet(const Action& action) override;
    void submit(const Action& action) override;
    void submit_nops(const Action& action) override;
    void set_policy(const Action& action) override;
    // Receives on `ring` until the condition holds; false if it did not in time.
    bool receive(PlayedRing& ring, std::chrono::milliseconds within,
                 const std::function<bool()>& condition);
    // Sorts CQEs that belong to no request: NOPs, events, and those that should not be.
    void sort_other(PlayedRing& ring);
    // Each NOP has exactly one CQE: none is missing before the ring goes.
    void await_nops(PlayedRing& ring);
    [[noreturn]] void give_up(const std::string& sentence);

    // Buffers that go back, events, and what is counted (stage_buffers.cpp).
    void give_back(const Action& action) override;
    void flush(const Action& action) override;
    void arm_event(const Action& action) override;
    void await_event(const Action& action) override;
    void count(const Action& action) override;
    void compare_buffers(const Action& action) override;
    void count_capacity(const Action& action) override;

    // What is around (stage_surroundings.cpp).
    void change_nic(const Action& action) override;
    void inject(const Action& action) override;
    void switch_link(const Action& action) override;
    void reset_device(const Action& action) override;
    void remove_device(const Action& action) override;
    void rescan(const Action& action) override;
    void bring_device_back();
    // As Scene::steer(); what a device that left had of rules is gone with it.
    void steer(const FlowRule& rule);
    void fork(const Action& action) override;
    void start_process(const Action& action) override;
    void reap(const Action& action) override;
    void reap_child(const std::string& name);
    void kill(const Action& action) override;
    void kill_child(const std::string& name);
    void start_thread(const Action& action) override;
    void join(const Action& action) override;
    void pause(const Action& action) override;
    // What a process that may be killed tells its parent, who then does what it cannot do any more.
    struct Told {
        enum class What : uint32_t { kRule, kImported, kClosed };
        What what = What::kRule;
        uint32_t location = 0;       // of the flow rule
        uint32_t ring = 0, ifq = 0;  // descriptor and number
    };
    void tell_parent(const Told& told);
    // Takes out the rules that a process which was killed has left, and says that the rings were
    // closed that had imported an ifq.
    void clear_up_after(const std::string& name, bool killed);
    // Once no process is left: what they had imported goes with the last one.
    void close_left_to_children();

    // The things; null, with a note, where one is not there.
    PlayedRing* ring(const std::string& name);
    PlayedIfq* ifq(const std::string& name);
    PlayedStream* stream(const std::string& name);
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
    const ActionList* list_ = nullptr;  // that is performed
    std::mutex mutex_;                  // of the maps; what is in them belongs to one thread
    std::map<std::string, std::unique_ptr<PlayedRing>> rings_;
    std::map<std::string, std::unique_ptr<PlayedIfq>> ifqs_;
    std::map<std::string, std::unique_ptr<PlayedStream>> streams_;
    std::map<std::string, std::unique_ptr<Fd>> boxes_;
    std::map<std::string, std::thread> threads_;
    std::map<std::string, pid_t> children_;
    std::map<std::string, Fd> told_by_children_;  // from which Told is read
    // Their numbers, at most.
    std::map<std::string, std::vector<uint32_t>> streams_of_children_, ifqs_of_children_;
    std::map<uint32_t, uint32_t> left_to_children_;  // ifqs whose rings here are closed, and these
    std::set<uint32_t> interrupted_;                 // ifqs of which requests were left under way
    uint32_t processes_ = 0;                         // that were started
    Fd parent_;                                      // of this child: takes Told
    std::set<uint32_t> inherited_;                   // ifqs that this child's parent has
    std::atomic<bool> split_off_ = false;            // by the list
    bool may_be_removed_ = false;                    // the list takes the NIC away
    std::unique_ptr<DeviceRemoval> removal_;         // while the NIC is away
    const std::shared_ptr<std::atomic<unsigned>> removals_ =
        std::make_shared<std::atomic<unsigned>>(0);
};

}  // namespace zcrxlab
