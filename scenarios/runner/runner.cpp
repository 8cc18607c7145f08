// Runner: the loop over scenarios, and what is looked at before and after each.
#include "scenarios/runner/runner.hpp"

#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "harness/base/exit_code.hpp"
#include "harness/oracle/data_races.hpp"
#include "harness/oracle/oracle.hpp"
#include "scenarios/framework/tape.hpp"
#include "scenarios/known_issues/counted_runs.hpp"
#include "scenarios/runner/verdict.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kTraceKeptPassed = 500;  // events sent to the host
constexpr size_t kTraceKeptFailed = 20000;

uint64_t now_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

double milliseconds_since(uint64_t nanoseconds) {
    return static_cast<double>(now_nanoseconds() - nanoseconds) / 1e6;
}

// Calls `done` until it is true or the time is up; what it said last.
template <typename Done>
bool poll_until(uint64_t since, std::chrono::milliseconds bound, Done done) {
    auto pause = std::chrono::microseconds(2000);  // each look is a dump or two
    while (!done()) {
        if (milliseconds_since(since) > static_cast<double>(bound.count())) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(20000));
    }
    return true;
}

// What a scenario finds and has to leave. What one left is what the next one finds, so that each
// reading serves twice; unless something was left behind.
struct Readings {
    Observer::Counters clean;  // before anything ran
    Observer::Counters counters;
    std::vector<Observer::Nic> nics;
    bool usable = false;
};

bool is_at(const Observer::Counters& now, const std::string& name, const Result<int64_t>& value) {
    const auto found = now.find(name);
    return value && found != now.end() && found->second && *found->second == *value;
}

// Where a counter has to be behind a scenario: where it was before. What an earlier one had left
// may go away meanwhile, and is not blamed on this one.
const Result<int64_t>& to_come_back_to(const Readings& readings, const std::string& name,
                                       const Observer::Counters& now) {
    const auto clean = readings.clean.find(name);
    if (clean != readings.clean.end() && is_at(now, name, clean->second)) return clean->second;
    return readings.counters.at(name);
}

// What could be read before can be read now, and is the same.
bool are_back(const Readings& readings, const Observer::Counters& now) {
    return std::ranges::all_of(readings.counters, [&](const auto& counter) {
        const Result<int64_t>& wanted = to_come_back_to(readings, counter.first, now);
        return !wanted || is_at(now, counter.first, wanted);
    });
}

// What is known of the counter behind a scenario.
CounterCompared compared(const std::string& name, const Result<int64_t>& before,
                         const Observer::Counters& after) {
    CounterCompared event;
    event.name = name;
    if (before) event.before = *before;
    const auto found = after.find(name);
    if (found == after.end())
        event.unread = "nothing tells it any more";
    else if (!found->second)
        event.unread = found->second.error().sentence;
    else
        event.after = *found->second;
    return event;
}

// Runs one scenario and gathers its trace.
class Run {
  public:
    Run(const Scenario& scenario, const RunOrder& order, Zygote& zygote, Observer& observer,
        ReportSink& sink, Readings& readings, std::span<const KnownIssue> issues,
        std::string_view all_of)
        : scenario_(scenario),
          order_(order),
          zygote_(zygote),
          observer_(observer),
          sink_(sink),
          readings_(readings),
          issues_(issues),
          all_of_(all_of) {}

    TestResult run() {
        sink_.started(scenario_.name());
        if (const std::optional<Missing> missing =
                what_is_missing(scenario_.terms.needs, observer_.surroundings())) {
            TestResult result;
            result.name = scenario_.name();
            result.status =
                missing->promised && !order_.lenient ? TestStatus::kFailed : TestStatus::kSkipped;
            result.message = missing->sentence;
            return result;
        }
        const uint64_t started = now_nanoseconds();
        Result<TestResult> result = run_child_and_judge();
        if (!result) {
            TestResult failed;
            failed.name = scenario_.name();
            failed.status = TestStatus::kFailed;
            failed.message = "The scenario could not be run: " + result.error().sentence;
            result = failed;
        }
        result->seconds = milliseconds_since(started) / 1e3;
        return *result;
    }

    // What the kernel said since it was judged, in or behind `test`.
    void blame_for_late_messages(std::string_view test, TestResult& result) {
        const std::vector<KernelMessage> messages = observer_.kernel_messages();
        tell(messages);
        const bool faults = std::ranges::any_of(events_, [](const Event& event) {
            return std::holds_alternative<FaultInjected>(event.body);
        });
        zcrxlab::blame_for_late_messages(test, messages, faults, issues_, result);
    }

    // Whether nothing was missing for it.
    bool began() const { return began_; }

  private:
    Result<TestResult> run_child_and_judge() {
        began_ = true;
        Result<Tape> tape = Tape::create();
        if (!tape) return tape.error();
        observer_.forget_warnings();
        observer_.mark("start " + scenario_.name());
        // Since the scenario before was judged, or of the probe before the first one.
        read_kernel_log();
        if (auto ready = observer_.device_before(); !ready) return ready.error();
        if (order_.count_always && !scenario_.terms.violates) add(CountAsked{});
        read_before();

        ChildOrder child;
        child.what = scenario_.name();
        child.inherited = tape->fd();
        const std::chrono::duration<double, std::milli> bound = scenario_.terms.time;
        child.bound =
            std::chrono::duration_cast<std::chrono::milliseconds>(bound * order_.slowness);
        if (order_.show_output)
            child.on_output = [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stderr);
            };
        Result<ChildEnd> end = run_child(zygote_, child);
        if (!end) return end.error();
        TapeContents contents = tape->read();
        events_.insert(events_.end(), std::make_move_iterator(contents.events.begin()),
                       std::make_move_iterator(contents.events.end()));
        for (const std::string& json : contents.measurements) sink_.measurement(json);

        close_rings(!contents.finished);
        watch_teardown(end->ended_at);
        compare_nics();
        read_device(contents);
        read_kernel_log();

        const std::vector<Violation> violations = check_all(events_);
        TestResult result = judge(scenario_, *end, contents, events_, violations, issues_, all_of_);
        const bool failed = result.status == TestStatus::kFailed;
        if (order_.whole_trace)
            sink_.trace(scenario_.name(), events_);
        else
            sink_.trace(scenario_.name(),
                        bounded(events_, failed ? kTraceKeptFailed : kTraceKeptPassed));
        return result;
    }

    void add(EventBody body) { events_.push_back({now_nanoseconds(), std::move(body)}); }

    void read_before() {
        if (readings_.usable) return;
        // What the one before left behind may still go away, with a retransmission at the latest;
        // it shall not be blamed on this one.
        if (!readings_.counters.empty())
            poll_until(now_nanoseconds(), 3 * bound(),
                       [&] { return are_back(readings_, observer_.counters()); });
        readings_.counters = observer_.counters();
        readings_.nics = observer_.nics();
        readings_.usable = true;
        if (readings_.clean.empty()) readings_.clean = readings_.counters;
        for (const auto& [name, reading] : readings_.counters)
            if (!reading)
                sink_.notice("Nobody watches \"" + name + "\": " + reading.error().sentence);
    }

    // Rings that the process had open when it ended were closed by that.
    void close_rings(bool interrupted) {
        std::set<uint32_t> open;
        for (const Event& event : events_) {
            if (const auto* ifq = std::get_if<IfqRegistered>(&event.body)) open.insert(ifq->ifq);
            if (const auto* closed = std::get_if<RingClosed>(&event.body);
                closed != nullptr && !closed->ifq_lives_on)
                open.erase(closed->ifq);
        }
        for (const uint32_t ifq : open) add(RingClosed{ifq, interrupted});
    }

    // Waits until the queues are free and the counters are back, each within the bound.
    void watch_teardown(uint64_t ended_at) {
        std::set<std::pair<std::string, uint32_t>> queues;
        for (const Event& event : events_)
            if (const auto* ifq = std::get_if<IfqRegistered>(&event.body);
                ifq != nullptr && !ifq->interface.empty())
                queues.emplace(ifq->interface, ifq->queue);
        for (const auto& [interface, queue] : queues) {
            ProviderReleased released;
            released.interface = interface;
            released.queue = queue;
            released.bound_milliseconds =
                static_cast<double>(kTeardownBound.count()) * order_.slowness;
            Result<bool> there = true;
            released.released = poll_until(ended_at, bound(), [&, name = interface, q = queue] {
                there = observer_.provider_on(name, q);
                return there && !*there;
            });
            if (!there) released.unknown = there.error().sentence;
            released.milliseconds = milliseconds_since(ended_at);
            add(released);
        }

        Observer::Counters after;
        const bool back = poll_until(ended_at, bound(), [&] {
            after = observer_.counters();
            return are_back(readings_, after);
        });
        if (!back)
            for (std::string& line : observer_.who_keeps()) add(Note{std::move(line)});
        for (auto& [name, before] : readings_.counters) {
            before = to_come_back_to(readings_, name, after);
            CounterCompared counter = compared(name, before, after);
            readings_.usable = readings_.usable && counter.after == counter.before;
            add(std::move(counter));
        }
    }

    void compare_nics() {
        const std::vector<Observer::Nic> after = observer_.nics();
        bool left_behind = false;
        for (const Observer::Nic& nic : readings_.nics) {
            NicCompared compared;
            compared.interface = nic.interface;
            compared.before = nic.lines;
            for (const Observer::Nic& now : after)
                if (now.interface == nic.interface) compared.after = now.lines;
            left_behind = left_behind || compared.after != compared.before;
            add(std::move(compared));
        }
        if (!left_behind) return;
        observer_.restore_nics();
        readings_.usable = false;
    }

    void read_device(TapeContents& contents) {
        Result<Observer::DeviceTold> told = observer_.device_after();
        if (!told) {
            contents.failures.push_back("What the device tells could not be read: " +
                                        told.error().sentence);
            return;
        }
        if (told->writes) {
            forget_known(*told->writes);
            add(*std::move(told->writes));
        }
        for (ForbiddenAsked& asked : told->forbidden) add(std::move(asked));
        if (told->watched) add(*told->watched);
    }

    // A scenario may have read a part of the log itself.
    void forget_known(DmaWrites& writes) const {
        uint64_t known = 0;
        for (const Event& event : events_)
            if (const auto* earlier = std::get_if<DmaWrites>(&event.body))
                for (const DmaLogEntry& entry : earlier->entries)
                    known = std::max<uint64_t>(known, entry.sequence);
        std::erase_if(writes.entries,
                      [known](const DmaLogEntry& entry) { return entry.sequence <= known; });
    }

    void read_kernel_log() {
        const std::vector<KernelMessage> messages = observer_.kernel_messages();
        for (const KernelMessage& message : messages) add(message);
        tell(messages);
    }

    // Also of data races that break nothing, since they are of other parts of the kernel.
    void tell(const std::vector<KernelMessage>& messages) {
        sink_.kernel_log(messages);
        for (const std::string& race : races_elsewhere(messages))
            sink_.notice("Not of zero-copy receive: " + race);
    }

    std::chrono::milliseconds bound() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::duration<double, std::milli>(kTeardownBound) * order_.slowness);
    }

    const Scenario& scenario_;
    const RunOrder& order_;
    Zygote& zygote_;
    Observer& observer_;
    ReportSink& sink_;
    bool began_ = false;
    Readings& readings_;
    std::span<const KnownIssue> issues_;
    std::string_view all_of_;  // the target, if each finding has to show there
    std::vector<Event> events_;
};

// Tells of the profiles that have changed since the last time, and of the mistakes that were come
// by.
class ProfileTeller {
  public:
    ProfileTeller(bool wanted, Observer& observer, ReportSink& sink)
        : wanted_(wanted), observer_(observer), sink_(sink) {}

    void tell(const std::string& test) {
        if (!wanted_) return;
        observer_.each_profile([&](const std::string& object, const std::string& hex) {
            std::string& last = last_[object];
            if (last != hex) sink_.profile(test, object, hex);
            last = hex;
        });
        observer_.each_reached([&](const std::string& parameter, const std::string& hex) {
            sink_.profile(test, parameter, hex);
        });
    }

  private:
    bool wanted_;
    Observer& observer_;
    ReportSink& sink_;
    std::map<std::string, std::string> last_;
};

// Where memory of a driver is lost if it is: the detector takes seconds, so it looks behind these
// and at the end.
bool disturbs_the_driver(const Scenario& scenario) {
    const Needs& needs = scenario.terms.needs;
    return needs.outages || std::ranges::any_of(needs.features, [](Feature feature) {
               return feature == Feature::kFailNth || feature == Feature::kFailPagePool;
           });
}

// What a driver without zero-copy receive has to refuse is for such a driver; on any other a run of
// everything leaves it out, and who asks for it is told what is missing.
bool is_for_another_driver(const Scenario& scenario, const RunOrder& order,
                           const Surroundings& there) {
    return order.filter.empty() && scenario.terms.needs.where == Where::kRefusing &&
           what_is_missing(scenario.terms.needs, there);
}

// In a run of everything, where it is known which findings show. A kernel of somebody's own may
// lack what he has mended, and other NICs have other ways.
bool each_finding_has_to_show(const RunOrder& order, std::string_view target,
                              std::string_view release) {
    return order.filter.empty() && order.shard.of == 1 &&
           find_counted_run(counted_runs(), target, release) != nullptr;
}

}  // namespace

int run_scenarios(const RunOrder& order, Zygote& zygote, Observer& observer, Turns& turns,
                  ReportSink& sink) {
    RunPlan plan;
    plan.seed = order.seed;
    plan.slowness = order.slowness;
    plan.features = observer.surroundings().features;
    plan.dealt = turns.dealt();
    size_t matching = 0;
    for (const Scenario& scenario : scenarios()) {
        if (!selects(order.filter, scenario)) continue;
        if (is_for_another_driver(scenario, order, observer.surroundings())) continue;
        if (matching++ % order.shard.of != order.shard.number - 1) continue;
        plan.names.push_back(scenario.name());
        plan.bounds.push_back(scenario.terms.time.count());
        plan.cpus.push_back(scenario.terms.needs.cpus);
        if (what_is_missing(scenario.terms.needs, observer.surroundings()))
            plan.unfit.push_back(scenario.name());
    }
    utsname system{};
    ::uname(&system);
    sink.plan(plan);
    if (matching == 0) {
        sink.notice("No scenario is called \"" + order.filter + "\"; type: zcrxlab list");
        return kExitUsage;
    }
    RunSummary summary;
    summary.seed = order.seed;
    Readings readings;
    std::string looked_behind;  // the scenario behind which lost memory was looked for
    bool any_ran = false;       // until then only the probe has asked the kernel for anything
    const std::string& target = observer.surroundings().target;
    const std::vector<KnownIssue> issues = issues_in(known_issues(), system.release, target);
    const std::string_view all_of =
        each_finding_has_to_show(order, target, system.release) ? std::string_view(target) : "";
    ProfileTeller profiles(order.profiles, observer, sink);
    profiles.tell("");
    sink.kernel_log(observer.earlier_messages());
    Result<std::optional<std::string>> turn = turns.next(plan.names, false);
    while (turn && *turn) {
        const Scenario& scenario = *find_scenario(**turn);
        Run run(scenario, order, zygote, observer, sink, readings, issues, all_of);
        TestResult result = run.run();
        profiles.tell(result.name);
        const bool ran = result.status != TestStatus::kSkipped;
        any_ran = any_ran || run.began();
        turn = turns.next(plan.names, ran && result.status != TestStatus::kPassed);
        if ((turn && !*turn) || (ran && disturbs_the_driver(scenario))) {
            blame_for_lost_memory(observer.lost_memory(), looked_behind, issues, result);
            looked_behind = result.name;
        }
        if ((turn && !*turn) || ran)
            run.blame_for_late_messages(any_ran ? std::string_view(result.name) : kFeatureProbe,
                                        result);
        sink.ended(result);
        summary.tests.push_back(std::move(result));
    }
    if (!turn) {
        sink.notice(turn.error().sentence);
        return kExitFailed;
    }
    if (summary.tests.empty()) return kExitPassed;  // more parts than scenarios
    return exit_code(summary);
}

}  // namespace zcrxlab
