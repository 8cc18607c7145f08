// Tries smaller lists in VMs, step by step, and keeps the smallest that still fails in the same
// way.
#include "lists/shrink/shrinker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/base/time_left.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/report/sentences.hpp"
#include "lists/runs/list_runs.hpp"
#include "lists/shrink/smaller.hpp"

namespace zcrxlab {

namespace {

using std::chrono::steady_clock;

// What a wait may take while much is tried; one that holds takes a few milliseconds.
constexpr uint64_t kHurry = 3000;
// Below this part of the rate so far, a smaller list is no progress.
constexpr double kWorthKeeping = 0.7;
// Of what failed in a step, so many are looked at more closely.
constexpr size_t kMostChoices = 4;
// Once so many fail, the rest of a step is not run: one that fails takes as long as its wait, and
// what they have in common is likely to be in the next step's first list.
constexpr size_t kEnough = 4;
// How often a list is run where the failure is certain: what fails once may do so by chance.
constexpr unsigned kTriesIfCertain = 2;

class Shrinker {
  public:
    Shrinker(const ShrinkOptions& options, Failure failure)
        : options_(options), best_(std::move(failure)) {
        runs_.self = options.self;
        runs_.vm = options.vm;
        if (runs_.vm.kernel.empty()) runs_.vm.kernel = best_.kernel;
        if (runs_.vm.nic.empty()) runs_.vm.nic = best_.nic;
        if (runs_.vm.nic.empty()) runs_.vm.nic = nic_at(NicPlace::kNowhere).name;
        best_.nic = runs_.vm.nic;
        runs_.batch = options.batch;
        runs_.lenient = options.lenient;
        runs_.stop = [this] { return interrupted_ = interrupted_ || signals_.take(); };
        good_runs_ = runs_;
        good_runs_.vm.kernel = options.good;
    }

    // 0: a list that fails was written; 1: nothing failed.
    Result<int> run() {
        fmt::print("The list runs {} times{}, once the guest has booted.\n", options_.repeats,
                   runs_.vm.kernel.empty() ? "" : " on " + runs_.vm.kernel);
        std::fflush(stdout);
        const Result<double> first = rate_of(best_.list, "first");
        if (!first) return first.error();
        if (*first == 0) {
            fmt::print("It did not fail in {} runs.\n", options_.repeats);
            return kExitFailed;
        }
        rate_ = *first;
        fmt::print("{:.0f} s: {} actions, fails in {:.0f} % of runs: {}\n", seconds(),
                   best_.list.actions.size(), rate_ * 100, sentence());
        if (auto sound = check_good(); !sound) return sound.error();
        tries_ = rate_ >= 1 ? kTriesIfCertain
                            : std::min(options_.repeats, static_cast<unsigned>(3 / rate_) + 1);
        const ActionList patient = best_.list;
        if (auto hurry = take_best_of({hurried(patient, kHurry)}, "with shorter waits"); !hurry)
            return hurry.error();
        hurried_ = best_.list != patient;
        for (bool better = true; better && !time_is_up();) {
            const Result<bool> step = take_smaller();
            if (!step) return step.error();
            better = *step;
        }
        return finish();
    }

  private:
    // What it shows, for people.
    std::string sentence() const {
        const std::string sentence = one_sentence_of(best_.message);
        return sentence.empty() ? best_.fingerprint : sentence;
    }
    double seconds() const {
        return std::chrono::duration<double>(steady_clock::now() - start_).count();
    }
    bool time_is_up() const { return seconds() >= options_.seconds; }

    // As it is for others: with the waits that the list had, if it fails so too.
    Result<int> finish() {
        const ActionList hasty = best_.list;
        if (hurried_)
            for (Action& action : best_.list.actions)
                if (find_parameter(action.form(), "within") != nullptr &&
                    action.number("within") == kHurry)
                    action.remove("within");
        Result<double> last = rate_of(best_.list, "last");
        if (!last) return last.error();
        if (best_.list != hasty && *last < kWorthKeeping * rate_) {
            best_.list = hasty;
            last = rate_of(best_.list, "last");
            if (!last) return last.error();
        }
        best_.bad = {kernel_of_batch(runs_, "last-1")};
        if (best_.kernel.empty()) best_.kernel = best_.bad.front();
        if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
            return written.error();
        fmt::print(
            "\n{}\n{}It fails in {:.0f} % of {} runs, after {:.0f} s and {} lists. It is in "
            "{}\n",
            to_text(best_.list),
            time_is_up() ? "The time was up before nothing more could be taken away. " : "",
            *last * 100, options_.repeats, seconds(), lists_run_,
            (options_.vm.out / "smallest").string());
        return 0;
    }

    // In how many of the runs the list fails in the same way; learns the fingerprint if need be.
    Result<double> rate_of(const ActionList& list, const std::string& name) {
        const auto outcomes =
            run_lists(runs_, name, std::vector<ActionList>(options_.repeats, list));
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < options_.repeats) return interruption();
        lists_run_ += outcomes->size();
        size_t failed = 0;
        for (const ListOutcome& outcome : *outcomes) {
            if (best_.fingerprint.empty()) best_.fingerprint = outcome.fingerprint;
            if (outcome.fingerprint.empty() || outcome.fingerprint != best_.fingerprint) continue;
            ++failed;
            best_.message = outcome.message;
            best_.splat = outcome.splat;
        }
        return static_cast<double>(failed) / static_cast<double>(outcomes->size());
    }

    // Of these, what is no promise broken but one that nobody makes: it fails so on a kernel
    // without the bug, too.
    Result<std::vector<bool>> fail_on_good(const std::vector<ActionList>& lists,
                                           const std::string& name) {
        std::vector<bool> fail(lists.size());
        if (options_.good.empty() || lists.empty()) return fail;
        const auto outcomes = run_lists(good_runs_, name, lists);
        if (!outcomes) return outcomes.error();
        if (outcomes->size() < lists.size()) return interruption();
        lists_run_ += lists.size();
        for (size_t i = 0; i < lists.size(); ++i)
            fail[i] = (*outcomes)[i].fingerprint == best_.fingerprint;
        return fail;
    }

    Result<void> check_good() {
        const auto fails = fail_on_good({best_.list}, "good");
        if (!fails) return fails.error();
        if (fails->front())
            return Error{EINVAL, "The list fails in the same way on " + options_.good +
                                     ", so that this kernel cannot be the --good one."};
        if (!options_.good.empty()) best_.good = {kernel_of_batch(good_runs_, "good-1")};
        return {};
    }

    // All that may be tried now, the smallest first: without parts of every length, with simpler
    // arguments, and what had helped beside what was taken last.
    std::vector<ActionList> candidates() const {
        std::vector<ActionList> all = simpler_arguments(best_.list);
        if (together_) all.push_back(*together_);
        for (size_t length = std::max<size_t>(best_.list.actions.size() / 2, 1); length > 0;
             length /= 2)
            for (ActionList& list : without_parts(best_.list, length))
                all.push_back(std::move(list));
        if (hurried_)
            for (ActionList& list : all) list = hurried(list, kHurry);
        std::erase_if(all, [this](const ActionList& list) {
            return weight_of(list) >= weight_of(best_.list) || known_.contains(to_text(list));
        });
        std::ranges::stable_sort(all, {}, weight_of);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    // One step: a smaller list in place of the one so far; false: there is none.
    Result<bool> take_smaller() {
        const std::vector<ActionList> all = candidates();
        for (size_t at = 0; at < all.size() && !time_is_up();) {
            const size_t count = std::min<size_t>(options_.candidates, all.size() - at);
            const auto begin = all.begin() + static_cast<ptrdiff_t>(at);
            const Result<bool> better =
                take_best_of({begin, begin + static_cast<ptrdiff_t>(count)}, "that are smaller");
            if (!better || *better) return better;
            at += count;
        }
        return false;
    }

    struct Tried {
        ActionList list;
        double rate = 0;
    };

    bool is_worth(size_t failed) const {
        return failed > 0 && static_cast<double>(failed) / tries_ >= kWorthKeeping * rate_;
    }

    // Those that fail so, and often enough, of as many as it takes to find some. All in one VM, as
    // long as it lives.
    Result<std::vector<Tried>> try_all(const std::vector<ActionList>& candidates) {
        std::vector<ActionList> lists;
        for (const ActionList& candidate : candidates) lists.insert(lists.end(), tries_, candidate);
        std::vector<size_t> failed(candidates.size());
        size_t found = 0;
        tried_ = 0;
        ListRuns runs = runs_;
        runs.ended = [&](size_t index, const ListOutcome& outcome) {
            const size_t which = index / tries_;
            ++lists_run_;
            failed[which] += outcome.fingerprint == best_.fingerprint ? 1 : 0;
            if (index % tries_ + 1 != tries_) return;
            ++tried_;
            found += is_worth(failed[which]) ? 1 : 0;
            // Otherwise it may fail the next time, by chance.
            if (rate_ >= 1 && !is_worth(failed[which])) known_.insert(to_text(candidates[which]));
        };
        runs.stop = [&] { return found >= kEnough || runs_.stop(); };
        const auto outcomes = run_lists(runs, fmt::format("try{}", ++step_), lists);
        if (!outcomes) return outcomes.error();
        if (interrupted_) return interruption();
        std::vector<Tried> failing;
        for (size_t i = 0; i < candidates.size(); ++i)
            if (is_worth(failed[i]))
                failing.push_back({candidates[i], static_cast<double>(failed[i]) / tries_});
        std::vector<ActionList> doubtful;
        for (const Tried& tried : failing) doubtful.push_back(tried.list);
        const auto senseless = fail_on_good(doubtful, fmt::format("good{}", step_));
        if (!senseless) return senseless.error();
        for (size_t i = 0; i < failing.size(); ++i)
            if ((*senseless)[i]) known_.insert(to_text(failing[i].list));
        size_t at = 0;
        std::erase_if(failing, [&](const Tried&) { return (*senseless)[at++]; });
        return failing;
    }

    // Whether one of them was better: what fails most often, and of several the smallest (they come
    // in that order). All that helps at once is tried in the next step.
    Result<bool> take_best_of(const std::vector<ActionList>& candidates, const std::string& what) {
        const auto failing = try_all(candidates);
        if (!failing) return failing.error();
        fmt::print("{:.0f} s: step {}: {} of {} lists {} fail so; at most {} left\n", seconds(),
                   step_, failing->size(), tried_, what,
                   time_in_words(std::max(0.0, static_cast<double>(options_.seconds) - seconds())));
        std::fflush(stdout);
        if (failing->empty()) return false;
        std::vector<Tried> choices = *failing;
        std::ranges::stable_sort(choices, std::greater(), &Tried::rate);
        const auto sure = first_sure_of(choices);
        if (!sure) return sure.error();
        if (!*sure) {
            fmt::print("{:.0f} s: none of them does so often enough\n", seconds());
            return false;
        }
        std::vector<ActionList> all;
        for (const Tried& tried : *failing) all.push_back(tried.list);
        together_ = merged(best_.list, all);
        best_.list = (*sure)->list;
        // A smaller list that fails more often sets what the next ones have to come up to.
        rate_ = std::max(rate_, (*sure)->rate);
        // Whoever interrupts it has this much.
        if (auto written = write_failure(best_, options_.vm.out / "smallest"); !written)
            return written.error();
        fmt::print("{:.0f} s: now {} actions, fails in {:.0f} % of {} runs\n", seconds(),
                   best_.list.actions.size(), (*sure)->rate * 100,
                   rate_ >= 1 ? tries_ : std::max(tries_, options_.repeats));
        std::fflush(stdout);
        return true;
    }

    // The first of these that fails often enough, also when it is run as often as the list was at
    // first: what failed once may have done so by chance.
    Result<std::optional<Tried>> first_sure_of(const std::vector<Tried>& choices) {
        for (const Tried& choice :
             std::span(choices).first(std::min(choices.size(), kMostChoices))) {
            if (rate_ >= 1 || tries_ >= options_.repeats) return std::optional<Tried>(choice);
            const Result<double> rate = rate_of(choice.list, fmt::format("sure{}", step_));
            if (!rate) return rate.error();
            if (*rate >= kWorthKeeping * rate_)
                return std::optional<Tried>(Tried{choice.list, *rate});
        }
        return std::optional<Tried>();
    }

    static Error interruption() { return {EINTR, "It was interrupted."}; }

    const ShrinkOptions& options_;
    const steady_clock::time_point start_ = steady_clock::now();
    StopSignals signals_;
    bool interrupted_ = false;
    Failure best_;
    ListRuns runs_, good_runs_;
    double rate_ = 1;
    unsigned tries_ = 1;
    unsigned step_ = 0;
    size_t lists_run_ = 0;
    size_t tried_ = 0;                    // candidates of the last step that were run
    std::optional<ActionList> together_;  // all that had helped in the last step
    std::set<std::string> known_;         // lists that need not be tried again
    bool hurried_ = false;                // waits got shorter bounds
};

}  // namespace

Result<int> shrink(const ShrinkOptions& options, Failure failure) {
    return Shrinker(options, std::move(failure)).run();
}

}  // namespace zcrxlab
