// Scenarios that end in every way there is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "harness/uapi/io_uring.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

SCENARIO(ends, well, "a good scenario passes", Needs{}) {
    scene.note("all is well");
}

SCENARIO(ends, checks, "a failed check is told", Needs{}) {
    scene.note("before the check");
    EXPECT_EQ(1 + 1, 3) << "arithmetic";
}

SCENARIO(ends, gives_up, "a scenario that gives up takes back what it did", Needs{}) {
    scene.undo_later("what it did", [&scene]() -> Result<void> {
        scene.note("undone");
        return {};
    });
    scene.must(Result<int>(Error{ENODEV, "There is nothing to set up."}));
    scene.note("never reached");
}

SCENARIO(ends, crashes, "a crash is told with its signal", Needs{}) {
    scene.note("the last thing it did");
    std::fprintf(stderr, "about to crash\n");
    raise(SIGABRT);
}

SCENARIO(ends, exits, "an early exit is no success", Needs{}) {
    _exit(0);
}

SCENARIO(ends, hangs, "a hanging scenario is killed", Terms(Needs{}).within(1s)) {
    scene.note("before it hangs");
    // A process that it leaves behind must not keep the runner waiting.
    if (fork() == 0) std::this_thread::sleep_for(1h);
    std::this_thread::sleep_for(1h);
}

SCENARIO(ends, skips, "a scenario may find out late that it cannot run", Needs{}) {
    GTEST_SKIP() << "not today";
}

SCENARIO(ends, breaks, "violated invariants fail a scenario", Needs{}) {
    scene.trace().add(CallReturned{"io_uring_register", EINVAL, 0});
}

SCENARIO(ends, binds, "the runner waits until the queue is free", Needs{}) {
    IfqRegistered ifq;
    ifq.interface = "eth0";
    ifq.queue = 1;
    scene.trace().add(ifq);
}

SCENARIO(ends, misses, "what is missing is told", Needs{.faults = true}) {}

// What an ifq of one buffer delivers, and what the user gives back.
void deliver(Scene& scene) {
    Trace& trace = scene.trace();
    IfqRegistered ifq;
    ifq.ifq = 1;
    ifq.buffer_size = 4096;
    ifq.zero_copy_expected = false;
    trace.add(ifq);
    trace.add(AreaRegistered{.ifq = 1, .length = 4096});
    trace.add(ConnectionOpened{.stream = 1});
    trace.add(PeerSent{.stream = 1, .total = 9});
    trace.add(RequestSubmitted{.request = 5, .ifq = 1, .stream = 1});
    CqeSeen cqe{.request = 5, .ifq = 1, .stream = 1, .result = 9};
    cqe.flags = uapi::kCqeMore;
    cqe.big = true;
    trace.add(cqe);
    trace.add(BufferReturned{.ifq = 1, .length = 9});
    trace.add(PeerClosed{.stream = 1});
    trace.add(CqeSeen{.request = 5, .ifq = 1, .stream = 1, .position = 9});
    trace.add(StreamFinished{.stream = 1});
}

SCENARIO(counts, nothing, "an ifq delivers, and nobody counts its buffers", Needs{}) {
    deliver(scene);
    EXPECT_EQ(scene.counts_always(), std::getenv("FAKE_ASKED") != nullptr);
}

SCENARIO(counts, buffers, "an ifq delivers, and its buffers are counted", Needs{}) {
    deliver(scene);
    scene.trace().add(CapacityMeasured{.ifq = 1, .total = 1, .distinct = 1});
}

SCENARIO(counts, excused, "an ifq delivers, and its buffers cannot be counted", Needs{}) {
    deliver(scene);
    scene.trace().add(BuffersNotCounted{1, Uncounted::kNotConserved});
}

struct Row {
    const char* name;
    int value;
};
constexpr Row kRows[] = {{"one", 1}, {"two", 2}, {"three", 3}};

SCENARIO(outages, driver, "behind it lost memory is looked for",
         Terms(Needs{.where = Where::kDevice, .outages = true})) {}

SCENARIO(features, events, "what kernels have since 7.2", Needs{.features = {Feature::kEvents}}) {}

SCENARIO_TABLE(tables, rows, "each row is a scenario", Needs{}, kRows, row) {
    EXPECT_NE(row.value, 2);
}

SCENARIO(control_invariants, right, "a control that breaks what it should",
         Terms(Needs{}).must_violate(Invariant::kI9)) {
    scene.trace().add(CallReturned{"io_uring_register", EINVAL, 0});
}

SCENARIO(control_invariants, none, "a control that breaks nothing",
         Terms(Needs{}).must_violate(Invariant::kI9)) {}

SCENARIO(control_invariants, other, "a control that breaks something else",
         Terms(Needs{}).must_violate(Invariant::kI8)) {
    scene.trace().add(CallReturned{"io_uring_register", EINVAL, 0});
}

}  // namespace
}  // namespace zcrxlab
