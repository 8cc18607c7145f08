// Scene: what a scenario's body gets: the trace, the target, and everything it sets up with its
// undo.
//
// A scenario that cannot go on ends at once: give_up() takes back what was changed, newest first,
// and leaves the process. So a body reads without error handling, and must() unwraps a Result.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "harness/base/result.hpp"
#include "harness/base/slowness.hpp"
#include "harness/net/nic.hpp"
#include "harness/net/undo.hpp"
#include "harness/targets/target.hpp"
#include "harness/trace/trace.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/tape.hpp"

namespace zcrxlab {

// May be used from several threads.
class Scene {
  public:
    Scene(const Scenario& scenario, Tape& tape);
    // Takes back what was changed.
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    Trace& trace() { return trace_; }
    // Connected at the first call.
    Target& target();
    const Endpoints& endpoints() { return target().endpoints(); }
    bool has_device() { return target().abilities().zero_copy; }
    // The run's seed mixed with the scenario's name and `salt`; never 0.
    uint64_t seed(uint64_t salt = 0) const;

    // Until a little before the scenario is killed: what waits no longer than this can still say
    // what it waited for.
    std::chrono::milliseconds time_left() const;
    int milliseconds_left() const { return static_cast<int>(time_left().count()); }  // as poll(2)
    // For a connection: no longer than any takes, and than is left, so that the scenario itself
    // says that none came about.
    std::chrono::milliseconds time_to_connect() const;
    // A bound as it is on this machine and kernel (--slowness): the only way to state one, apart
    // from time_left().
    std::chrono::milliseconds scaled(std::chrono::milliseconds bound) const {
        return zcrxlab::scaled(bound);
    }
    // Looks again and again until `condition` holds; false if it does not within `bound`, which is
    // scaled() already, or within time_left().
    bool becomes(const std::function<bool()>& condition,
                 std::chrono::milliseconds bound = std::chrono::milliseconds::max()) const;
    // The same; ends the scenario with `otherwise`, a sentence, if it does not.
    void wait_for(const std::string& otherwise, const std::function<bool()>& condition,
                  std::chrono::milliseconds bound = std::chrono::milliseconds::max());

    // The value, or the end of the scenario with the error's sentence.
    template <typename T>
    T must(Result<T> result) {
        if (!result) give_up(result.error().sentence);
        return *std::move(result);
    }
    void must(const Result<void>& result) {
        if (!result) give_up(result.error().sentence);
    }
    // Fails the scenario and ends it.
    [[noreturn]] void give_up(const std::string& sentence, const ComplaintFacts& facts = {});

    // Runs when the scenario ends, newest first, also when it gives up; not when it is killed.
    void undo_later(const std::string& what, std::function<Result<void>()> undo);
    // For people who read the trace.
    void note(const std::string& text) { trace_.add(Note{text}); }
    // As an action of a list, where no other event says that it was done.
    void done(const std::string& action) { trace_.add(ActionDone{action, false}); }
    // A row of a table of `zcrxlab bench`: {"table": name, "rows": [{column: value ...} ...]}.
    void measured(const std::string& json) { tape_.measurement(json); }
    // A call that must give this errno (0 = success); I9 compares.
    void returned(const std::string& call, int expected, int seen) {
        trace_.add(CallReturned{call, expected, seen});
    }

    // Whether each ifq that has delivered data is to be counted before its ring is closed (--count
    // always). Negative controls are not: they must break one invariant and no other.
    bool counts_always() const;

    // Numbers that are unique in the trace.
    uint32_t next_ifq() { return ++ifqs_; }
    uint32_t next_stream() { return ++streams_; }
    // From here on these begin with `first`: in another process, beyond those of its parent.
    void number_from(uint32_t first) { ifqs_ = streams_ = first - 1; }
    // Receive queues from the first one for zcrx on; queue 0 keeps the rest of the traffic.
    uint32_t next_queue() { return endpoints().first_queue + queues_++; }

    // The NIC under test, opened at the first call. One thread at a time.
    Nic& nic();
    // Its interface was replaced by another one of the same name: the next nic() opens that.
    void forget_nic();
    // What zcrx asks of a NIC: header split on, RSS kept off the queues that receive_paths take. A
    // runner has done this already, and then it costs two questions.
    void prepare_nic();
    // The sizes of its rings, from any thread.
    RingSizes ring_sizes();
    // Adds a flow rule until the scenario ends; not a second time.
    void steer(const FlowRule& rule);
    // Waits until no provider is on the queue, which a closed ring leaves a little later.
    void wait_for_release(uint32_t queue);
    // One command to the device and its answer, from any thread (Target::control).
    Result<std::string> control(const std::string& json);
    // Puts a fault rule into the device until the scenario ends.
    void inject(const FaultRule& rule);
    // Adds what the device wrote until now to the trace: before held buffers go back (I3), or in
    // long scenarios, before the device forgets.
    void read_dma_log();

  private:
    void undo_all();

    const Scenario& scenario_;
    Tape& tape_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    Trace trace_;
    std::atomic<uint32_t> ifqs_{0}, streams_{0}, queues_{0};
    std::recursive_mutex mutex_;  // of what follows
    std::unique_ptr<Target> target_;
    UndoStack undo_;
    std::unique_ptr<Nic> nic_;
    std::vector<FlowRule> rules_;  // that steer() has added
};

}  // namespace zcrxlab
