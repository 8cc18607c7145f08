// Fuzz session: batches, counts, and failures by what they showed.
#include "lists/fuzz/fuzz_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/time_left.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/report/sentences.hpp"
#include "lists/bundle/failure.hpp"
#include "lists/runs/fingerprint.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenProgress{5};
constexpr size_t kShownOfSentence = 100;

}  // namespace

ModelOptions model_options(const FuzzOptions& options) {
    ModelOptions model;
    model.seed = options.vm.seed;
    model.device = !nic_is_at(options.vm.nic, NicPlace::kNowhere);
    model.huge = !model.device;
    return model;
}

FuzzSession::FuzzSession(const FuzzOptions& options)
    : options_(options), model_(model_options(options)) {
    runs_.self = options.self;
    runs_.vm = options.vm;
    runs_.batch = options.batch;
    runs_.lenient = options.lenient;
    runs_.stop = [this] { return stopped(); };
}

int FuzzSession::run() {
    std::error_code error;
    fs::create_directories(options_.vm.out, error);
    if (error) return fail({error.value(), "Cannot make " + options_.vm.out.string() + "."});
    if (!options_.corpus.empty()) {
        auto corpus = Corpus::open(options_.corpus);
        if (!corpus) return fail(corpus.error());
        corpus_ = std::move(*corpus);
        resume_end_ = corpus_.lists().size();
        fmt::print("{} lists in {}\n", resume_end_, options_.corpus);
    }
    std::vector<std::thread> jobs;
    working_ = options_.jobs;
    for (unsigned job = 0; job < options_.jobs; ++job)
        jobs.emplace_back([this, job] { work(job + 1); });
    {
        std::unique_lock lock(mutex_);
        while (!all_ended_.wait_for(lock, kBetweenProgress, [this] { return working_ == 0; }))
            show_progress();
    }
    for (std::thread& job : jobs) job.join();
    if (error_) return fail(*error_);
    summarize();
    if (interrupted_) return kExitInterrupted;
    if (!found_.empty()) return kExitFailed;
    return done_ == 0 ? kExitSkipped : kExitPassed;
}

double FuzzSession::seconds() const {
    return std::chrono::duration<double>(steady_clock::now() - start_).count();
}

bool FuzzSession::stopped() {
    if (signals_.take()) interrupted_ = true;
    return interrupted_ || seconds() >= options_.seconds;
}

// Every second one does what a list of the corpus does, up to some point, and then something else.
ActionList FuzzSession::list_for(uint64_t number) const {
    const std::vector<Origin>& origins = corpus_.origins();
    if (number % 2 == 0 || origins.empty()) return random_list(model_, number);
    const size_t which = Random(model_.seed + 1, number).below(origins.size());
    return list_of(model_, changed(model_, origins[which], number));
}

std::vector<FuzzSession::Planned> FuzzSession::plan_batch() {
    const std::lock_guard lock(mutex_);
    std::vector<Planned> batch;
    if (error_ || stopped()) return batch;
    // The corpus first: what it reaches is nothing new.
    for (; batch.size() < options_.batch && resume_next_ < resume_end_; ++resume_next_)
        batch.push_back({resume_next_, true, corpus_.lists()[resume_next_], false});
    while (batch.size() < options_.batch && next_ < options_.lists) {
        batch.push_back({next_, false, list_for(next_), false});
        ++next_;
    }
    return batch;
}

void FuzzSession::work(unsigned job) {
    const std::string name = fmt::format("vm{}", job);
    for (std::vector<Planned> batch = plan_batch(); !batch.empty();) {
        std::erase_if(batch, [](const Planned& list) { return list.done; });
        if (batch.empty() || stopped()) {
            batch = plan_batch();
            continue;
        }
        if (auto ran = run_planned(name, batch); !ran) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = ran.error();
            break;
        }
    }
    const std::lock_guard lock(mutex_);
    --working_;
    all_ended_.notify_all();
}

Result<void> FuzzSession::run_planned(const std::string& name, std::vector<Planned>& planned) {
    std::vector<ActionList> lists;
    lists.reserve(planned.size());
    for (const Planned& one : planned) lists.push_back(one.list);
    ListRuns runs = runs_;
    size_t reached = 0;  // of ways that were new, by the list that ends next
    runs.counted = [&](int64_t index, const std::string& object, const std::string& gcda) {
        const auto arcs = arcs_in(object, gcda);
        const std::lock_guard lock(mutex_);
        if (!arcs) {
            if (!error_) error_ = arcs.error();
            return;
        }
        const size_t added = reach_.add(*arcs);
        // What a kernel does as it boots is no list's merit.
        if (index >= 0) reached += added;
    };
    runs.ended = [&](size_t index, const ListOutcome& outcome) {
        const std::lock_guard lock(mutex_);
        take(planned[index], outcome, std::exchange(reached, 0));
    };
    const auto outcomes = run_lists(runs, name, lists);
    const std::lock_guard lock(mutex_);
    name_kernel(kernel_of_batch(runs_, name + "-1"));
    if (!outcomes) return outcomes.error();
    return {};
}

void FuzzSession::take(Planned& planned, const ListOutcome& outcome, size_t reached) {
    planned.done = true;
    ++done_;
    skipped_ += outcome.status == TestStatus::kSkipped ? 1 : 0;
    guests_lost_ += outcome.status == TestStatus::kLost ? 1 : 0;
    if (!outcome.fingerprint.empty()) take_failure(planned, outcome);
    // One that takes the guest along would do so at the beginning of every run.
    const bool worth = reached > 0 && outcome.status != TestStatus::kSkipped &&
                       outcome.status != TestStatus::kLost;
    if (!worth || planned.resumed || options_.corpus.empty()) return;
    ++kept_;
    if (auto kept = corpus_.keep(planned.list); !kept && !error_) error_ = kept.error();
}

void FuzzSession::take_failure(const Planned& planned, const ListOutcome& outcome) {
    Found& found = found_[outcome.fingerprint];
    if (found.times++ > 0) return;
    found.shown = 1;
    found.first_after = seconds();
    found.first_list =
        fmt::format("{}{}", planned.resumed ? "of the corpus, " : "", planned.number);
    found.folder = options_.vm.out / "failures" / folder_name(outcome.fingerprint);
    found.sentence = one_sentence_of(outcome.message);
    if (found.sentence.empty()) found.sentence = outcome.fingerprint;
    Failure failure;
    failure.list = planned.list;
    failure.kernel = options_.vm.kernel;
    failure.nic = options_.vm.nic;
    failure.fingerprint = outcome.fingerprint;
    failure.message = outcome.message;
    failure.splat = outcome.splat;
    if (auto written = write_failure(failure, found.folder); !written) error_ = written.error();
    fmt::print("\n{:.0f} s: list {}: {}\n  {}\n", found.first_after, found.first_list,
               found.sentence, found.folder.string());
    std::fflush(stdout);
}

void FuzzSession::name_kernel(const std::string& kernel) {
    if (kernel.empty()) return;
    for (auto& [print, found] : found_) {
        if (std::exchange(found.kernel_known, true)) continue;
        auto failure = read_failure(found.folder);
        if (!failure) continue;
        if (failure->kernel.empty()) failure->kernel = kernel;
        failure->bad = {kernel};
        if (auto written = write_failure(*failure, found.folder); !written && !error_)
            error_ = written.error();
    }
}

void FuzzSession::show_progress() {
    size_t failures = 0;
    for (const auto& [print, found] : found_) failures += found.times;
    const double passed = std::max(seconds(), 0.001);
    if (done_ == 0) {
        fmt::print("{:.0f} s: the guest boots; no list has ended yet\n", passed);
        std::fflush(stdout);
        return;
    }
    std::string line = fmt::format("{:.0f} s: {} lists, {:.1f} a second", passed, done_,
                                   static_cast<double>(done_) / passed);
    if (reach_.size() > 0)
        line += fmt::format(", {} ways through the code reached", reach_.size());
    else if (done_ > 0)
        line += ", code not counted by this kernel";
    if (!options_.corpus.empty())
        line += fmt::format(", {} kept ({} in all)", kept_, corpus_.lists().size());
    fmt::print("{}, {} skipped, {} failed in {} ways, {} guests lost; {}\n", line, skipped_,
               failures, found_.size(), guests_lost_, left());
    for (auto& [print, found] : found_) {
        if (std::exchange(found.shown, found.times) == found.times) continue;
        fmt::print("    {} times: {}\n", found.times, found.sentence.substr(0, kShownOfSentence));
    }
    std::fflush(stdout);
}

// The time that it may take, or that its lists take if that is less.
std::string FuzzSession::left() const {
    const double passed = seconds();
    const double allowed = std::max(0.0, static_cast<double>(options_.seconds) - passed);
    const double lists =
        std::max(0.0, static_cast<double>(options_.lists) + static_cast<double>(resume_end_) -
                          static_cast<double>(done_));
    return fmt::format("about {} left", time_in_words(std::min(
                                            allowed, lists * passed / static_cast<double>(done_))));
}

void FuzzSession::summarize() const {
    fmt::print("\nseed {}: {} lists in {:.0f} s", options_.vm.seed, done_, seconds());
    if (reach_.size() > 0) fmt::print(", {} ways through the code reached", reach_.size());
    if (!options_.corpus.empty())
        fmt::print(", {} lists kept, {} in {}", kept_, corpus_.lists().size(), options_.corpus);
    fmt::print("\n");
    for (const auto& [print, found] : found_)
        fmt::print("{:>5} times, first after {:.0f} s (list {}): {}\n       {}\n", found.times,
                   found.first_after, found.first_list, found.sentence, found.folder.string());
    if (done_ == 0)
        fmt::print("No list was run: {} before the guest had come to the first one.\n",
                   interrupted_ ? "it was interrupted" : "the time was up");
    else if (found_.empty())
        fmt::print("no list failed\n");
    if (guests_lost_ > 0)
        fmt::print("{} took {} guest along\n",
                   guests_lost_ == 1 ? "1 list" : fmt::format("{} lists", guests_lost_),
                   guests_lost_ == 1 ? "its" : "their");
    if (!options_.corpus.empty() && reach_.size() == 0 && done_ > 0)
        fmt::print(
            "This kernel does not count what it runs, so that no list was kept. To build "
            "one that does, type: zcrxlab kernel build --config coverage\n");
    if (skipped_ == done_ && done_ > 0)
        fmt::print("all were skipped: what this kernel and NIC lack, vm1-1/run.log says\n");
}

}  // namespace zcrxlab
