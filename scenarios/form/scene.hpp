// Scene: what a scenario's body gets: the trace, the target, and everything it sets up with its undo.
//
// A scenario that cannot go on ends at once: give_up() takes back what was changed, newest first,
// and leaves the process. So a body reads without error handling, and a Result is unwrapped by must().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/base/defer.hpp"
#include "harness/base/result.hpp"
#include "harness/target/target.hpp"
#include "harness/trace/trace.hpp"
#include "scenarios/form/scenario.hpp"
#include "scenarios/runner/tape.hpp"

namespace zcrxlab {

class Scene {
  public:
    Scene(const Scenario& scenario, Tape& tape);
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
    [[noreturn]] void give_up(const std::string& sentence);

    // Called when the scenario ends, newest first; also when it ends early, not when it is killed.
    void undo_later(std::function<void()> undo);
    void undo_later(Defer undo);

    // For people who read the trace.
    void note(const std::string& text) { trace_.add(Note{text}); }
    // Puts a fault rule (vm/nic/control/README.md) into the device until the scenario ends.
    void inject(const std::string& rule);

  private:
    void undo_all();

    const Scenario& scenario_;
    Tape& tape_;
    Trace trace_;
    std::unique_ptr<Target> target_;
    std::mutex mutex_;
    std::vector<Defer> undos_;
};

}  // namespace zcrxlab
