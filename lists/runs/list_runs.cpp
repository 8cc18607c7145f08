// Writes lists into files, runs a VM, and reads results.json.
#include "lists/runs/list_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "harness/base/child_process.hpp"
#include "harness/base/file.hpp"
#include "harness/base/json.hpp"
#include "harness/base/number.hpp"
#include "harness/base/tail.hpp"
#include "kernels/coverage/profile.hpp"
#include "lists/language/action_files.hpp"
#include "lists/runs/fingerprint.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};
// For a run that is interrupted to write what it has.
constexpr std::chrono::milliseconds kEndBound{15'000};
constexpr size_t kSplatBytes = 6000;
// VMs in a row that do not come to their first list.
constexpr int kMostFalseStarts = 3;

std::string name_of_list(size_t index) {
    return fmt::format("{:04}", index);
}

Result<void> write_lists(const fs::path& folder, const std::vector<ActionList>& lists) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    for (size_t i = 0; i < lists.size(); ++i)
        if (auto written =
                write_file(folder / (name_of_list(i) + kActionsSuffix), to_text(lists[i]));
            !written)
            return written;
    return {};
}

std::vector<std::string> command_for(const ListRuns& runs, const fs::path& folder) {
    std::vector<std::string> words{runs.self,   "run",
                                   "--actions", (folder / "lists").string(),
                                   "--out",     (folder / "out").string()};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {name, value});
    };
    add("--kernel", runs.vm.kernel);
    add("--nic", runs.vm.nic);
    add("--memory", runs.vm.memory);
    add("--cpus", runs.vm.cpus != 0 ? std::to_string(runs.vm.cpus) : "");
    add("--seed", std::to_string(runs.vm.seed));
    add("--timeout", std::to_string(runs.vm.timeout));
    add("--silence", runs.vm.silence != 0 ? std::to_string(runs.vm.silence) : "");
    add("--vm-args", runs.vm.vm_arguments);
    add("--kernel-args", runs.vm.kernel_arguments);
    if (runs.vm.accelerator != "auto") add("--accel", runs.vm.accelerator);
    for (const std::string& rule : runs.vm.faults) add("--fault", rule);
    if (runs.lenient) words.emplace_back("--lenient");
    if (runs.counted) words.emplace_back("--profiles");
    return words;
}

Result<void> run_and_wait(const std::vector<std::string>& command, const fs::path& log,
                          const std::function<bool()>& stop, const std::function<void()>& look) {
    const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return error_from_errno("write " + log.string());
    ChildOptions options;
    options.arguments = command;
    options.output = options.error = file.get();
    Result<ChildProcess> process = ChildProcess::start(options);
    if (!process) return process.error();
    while (!process->wait(kBetweenLooks)) {
        look();
        if (!stop || !stop()) continue;
        process->signal(SIGINT);
        process->wait(kEndBound);
        break;
    }
    return {};
}

// From the first line of a splat on.
std::string splat_in(const std::string& console) {
    size_t first = std::string::npos;
    for (const char* begin : {"BUG: ", "WARNING: ", "Oops", "kernel BUG at", "Kernel panic"})
        first = std::min(first, console.find(begin));
    if (first == std::string::npos) return {};
    const size_t line = console.rfind('\n', first);
    return cleaned(console.substr(line == std::string::npos ? 0 : line + 1, kSplatBytes));
}

// Of a list that came to its end.
ListOutcome outcome_of(TestStatus status, const std::string& message) {
    ListOutcome outcome;
    outcome.status = status;
    outcome.message = message;
    outcome.ran = true;
    if (status == TestStatus::kPassed || status == TestStatus::kSkipped) return outcome;
    outcome.fingerprint = fingerprint_of(message);
    if (message.find("I7 (") != std::string::npos) {
        outcome.splat = splat_in(message);
        if (const std::string frames = splat_fingerprint(message); !frames.empty())
            outcome.fingerprint = frames;
    }
    return outcome;
}

ListOutcome outcome_of(const TestResult& test, const RunSummary& run, const fs::path& out) {
    if (test.status != TestStatus::kLost) return outcome_of(test.status, test.message);
    ListOutcome outcome;
    outcome.status = test.status;
    outcome.message = test.message;
    // Nor did it fail because it was stopped.
    outcome.ran = test.reached == Reached::kStart && run.ending != Ending::kInterrupted;
    if (!outcome.ran) return outcome;
    const std::string console = text_of_file(out / "console.log");
    outcome.splat = splat_in(console);
    outcome.fingerprint = splat_fingerprint(console);
    if (!outcome.fingerprint.empty()) return outcome;
    // It names the test, which is another one each time.
    std::string reason = run.ending_message;
    const std::string during = " (in " + test.name + ")";
    if (const size_t at = reason.find(during); at != std::string::npos)
        reason.erase(at, during.size());
    outcome.fingerprint = "the guest was lost: " + fingerprint_of(reason);
    return outcome;
}

// The place of a list in its batch, from the name of its test; -1: it is none.
int64_t index_of(std::string_view test) {
    constexpr std::string_view kChapter = "actions.";
    if (!test.starts_with(kChapter)) return -1;
    test.remove_prefix(kChapter.size());
    return number_from<int64_t>(test).value_or(-1);
}

// Reads what a run writes as it goes on, and tells of each list that ended.
class Onlooker {
  public:
    Onlooker(const ListRuns& runs, const fs::path& out, size_t lists)
        : runs_(runs),
          ended_(out / "ended.jsonl"),
          profile_(out / "profile.jsonl"),
          lists_(lists) {}

    void look() {
        // In this order: what was counted of a list is written before it is said to have ended.
        const std::vector<std::string> ended = ended_.take();
        if (runs_.counted)
            for (const std::string& line : profile_.take()) take_profile(line);
        for (const std::string& line : ended) {
            const auto ended_list = ended_list_from(line);
            if (ended_list) tell(ended_list->first, ended_list->second);
        }
    }
    // Each once.
    void tell(size_t index, const ListOutcome& outcome) {
        if (index < lists_ && outcome.ran && told_.insert(index).second && runs_.ended)
            runs_.ended(index, outcome);
    }

  private:
    void take_profile(const std::string& line) {
        const auto json = parse_json_object(line);
        const auto test = json ? get<std::string>(*json, "test") : std::nullopt;
        // Those without a test are the last ones of a run, and say nothing new.
        if (!test) return;
        if (const auto profile = parse_profile(line))
            runs_.counted(index_of(*test), profile->object, profile->bytes);
    }

    const ListRuns& runs_;
    Tail ended_, profile_;
    size_t lists_;
    std::set<size_t> told_;
};

}  // namespace

std::optional<std::pair<size_t, ListOutcome>> ended_list_from(std::string_view line) {
    const auto json = parse_json_object(line);
    if (!json) return std::nullopt;
    const int64_t index = index_of(get_text(*json, "name"));
    const auto status = status_from_name(get_text(*json, "status"));
    if (index < 0 || !status) return std::nullopt;
    return std::pair(static_cast<size_t>(index), outcome_of(*status, get_text(*json, "message")));
}

Result<std::vector<ListOutcome>> run_batch(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists) {
    const fs::path folder = fs::absolute(runs.vm.out) / name;
    if (auto written = write_lists(folder / "lists", lists); !written) return written.error();
    std::error_code ignored;
    const fs::path out = folder / "out";
    for (const char* file : {"results.json", "ended.jsonl", "profile.jsonl"})
        fs::remove(out / file, ignored);
    Onlooker onlooker(runs, out, lists.size());
    if (auto ran = run_and_wait(command_for(runs, folder), folder / "run.log", runs.stop,
                                [&] { onlooker.look(); });
        !ran)
        return ran.error();
    onlooker.look();
    const Result<RunSummary> run = summary_from_json(text_of_file(out / "results.json"));
    // It was stopped before it had begun: that is no list's failure, and no VM's.
    if (!run && runs.stop && runs.stop()) return std::vector<ListOutcome>(lists.size());
    if (!run)
        return Error{EIO, "No VM ran the lists in " + folder.string() + ". It said:\n" +
                              text_of_file(folder / "run.log")};
    std::vector<ListOutcome> outcomes(lists.size());
    for (size_t i = 0; i < lists.size(); ++i) {
        const auto test =
            std::ranges::find(run->tests, "actions." + name_of_list(i), &TestResult::name);
        if (test != run->tests.end()) outcomes[i] = outcome_of(*test, *run, out);
        onlooker.tell(i, outcomes[i]);
    }
    // A guest that never got to its first list is a fact about the kernel or this machine.
    const bool stopped = run->ending == Ending::kInterrupted || (runs.stop && runs.stop());
    if (run->tests.empty() && !stopped)
        return Error{EIO, "The guest did not come to its first list: " + run->ending_message};
    return outcomes;
}

Result<std::vector<ListOutcome>> run_lists(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists) {
    std::vector<ListOutcome> outcomes;
    for (int batch = 1; outcomes.size() < lists.size(); ++batch) {
        const auto begin = lists.begin() + static_cast<ptrdiff_t>(outcomes.size());
        const size_t count = std::min<size_t>(runs.batch, lists.size() - outcomes.size());
        ListRuns part_of = runs;
        if (runs.ended)
            part_of.ended = [&, before = outcomes.size()](size_t index,
                                                          const ListOutcome& outcome) {
                runs.ended(before + index, outcome);
            };
        if (runs.counted)
            part_of.counted = [&, before = static_cast<int64_t>(outcomes.size())](
                                  int64_t index, const std::string& object,
                                  const std::string& gcda) {
                runs.counted(index < 0 ? index : before + index, object, gcda);
            };
        auto part = run_batch(part_of, fmt::format("{}-{}", name, batch),
                              {begin, begin + static_cast<ptrdiff_t>(count)});
        // A machine that is busy with something else may not boot it in time.
        for (int again = 1; !part && again < kMostFalseStarts && !(runs.stop && runs.stop());
             ++again)
            part = run_batch(part_of, fmt::format("{}-{}", name, batch),
                             {begin, begin + static_cast<ptrdiff_t>(count)});
        if (!part) return part.error();
        bool progress = false;
        for (ListOutcome& outcome : *part) {
            if (!outcome.ran) break;
            progress = true;
            outcomes.push_back(std::move(outcome));
        }
        if (runs.stop && runs.stop()) return outcomes;
        if (!progress)
            return Error{EIO, "No list of the batch " + name + " was started; see " +
                                  (fs::absolute(runs.vm.out) / name).string() + "."};
    }
    return outcomes;
}

std::string kernel_of_batch(const ListRuns& runs, const std::string& name) {
    const fs::path folder = fs::absolute(runs.vm.out) / name;
    const Result<RunSummary> run = summary_from_json(text_of_file(folder / "out" / "results.json"));
    return run ? run->kernel : std::string();
}

}  // namespace zcrxlab
