// List runs: files, a process, results.json.
#include "vm/list_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

#include "vm/action_files.hpp"
#include "vm/boot/child_process.hpp"
#include "vm/fuzz/fingerprint.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};
// For a run that is interrupted to write what it has.
constexpr std::chrono::milliseconds kEndBound{15'000};
constexpr size_t kSplatBytes = 6000;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string name_of_list(size_t index) {
    return fmt::format("{:04}", index);
}

Result<void> write_lists(const fs::path& folder, const std::vector<ActionList>& lists) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    for (size_t i = 0; i < lists.size(); ++i) {
        std::ofstream file(folder / (name_of_list(i) + kActionsSuffix), std::ios::binary);
        file << to_text(lists[i]) << std::flush;
        if (!file) return error_from_errno("write to " + folder.string(), errno);
    }
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
    add("--vm-args", runs.vm.vm_arguments);
    add("--kernel-args", runs.vm.kernel_arguments);
    if (runs.vm.accelerator != "auto") add("--accel", runs.vm.accelerator);
    for (const std::string& rule : runs.vm.faults) add("--fault", rule);
    return words;
}

Result<void> run_and_wait(const std::vector<std::string>& command, const fs::path& log,
                          const std::function<bool()>& stop) {
    const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return error_from_errno("write " + log.string());
    ChildOptions options;
    options.arguments = command;
    options.output = options.error = file.get();
    Result<ChildProcess> process = ChildProcess::start(options);
    if (!process) return process.error();
    while (!process->wait(kBetweenLooks)) {
        if (!stop || !stop()) continue;
        process->signal(SIGINT);
        process->wait(kEndBound);
        break;
    }
    return {};
}

// From the first line of a splat on.
std::string splat_in(const std::string& console) {
    for (const char* begin : {"BUG: ", "WARNING: ", "Oops", "kernel BUG at", "Kernel panic"})
        if (const size_t at = console.find(begin); at != std::string::npos) {
            const size_t line = console.rfind('\n', at);
            return cleaned(console.substr(line == std::string::npos ? 0 : line + 1, kSplatBytes));
        }
    return {};
}

ListOutcome outcome_of(const TestResult& test, const RunSummary& run, const fs::path& out) {
    ListOutcome outcome;
    outcome.status = test.status;
    outcome.message = test.message;
    // What had not started says so (vm/boot/watch.cpp).
    outcome.ran = !(test.status == TestStatus::kLost && test.message.starts_with("It had not"));
    // Nor did it fail because it was stopped.
    if (test.status == TestStatus::kLost && run.ending == Ending::kInterrupted) outcome.ran = false;
    if (test.status == TestStatus::kPassed || test.status == TestStatus::kSkipped || !outcome.ran)
        return outcome;
    if (test.status == TestStatus::kLost) {
        const std::string console = text_of(out / "console.log");
        outcome.splat = splat_in(console);
        outcome.fingerprint = splat_fingerprint(console);
        if (outcome.fingerprint.empty())
            outcome.fingerprint = "the guest was lost: " + fingerprint_of(run.ending_message);
        return outcome;
    }
    outcome.fingerprint = fingerprint_of(test.message);
    if (test.message.find("I7 (") != std::string::npos) {
        outcome.splat = splat_in(test.message);
        if (const std::string frames = splat_fingerprint(test.message); !frames.empty())
            outcome.fingerprint = frames;
    }
    return outcome;
}

}  // namespace

Result<std::vector<ListOutcome>> run_batch(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists) {
    const fs::path folder = fs::absolute(runs.vm.out) / name;
    if (auto written = write_lists(folder / "lists", lists); !written) return written.error();
    std::error_code ignored;
    fs::remove(folder / "out" / "results.json", ignored);
    if (auto ran = run_and_wait(command_for(runs, folder), folder / "run.log", runs.stop); !ran)
        return ran.error();
    const Result<RunSummary> run = summary_from_json(text_of(folder / "out" / "results.json"));
    if (!run)
        return Error{EIO, "No VM ran the lists in " + folder.string() + ". It said:\n" +
                              text_of(folder / "run.log")};
    std::vector<ListOutcome> outcomes(lists.size());
    for (size_t i = 0; i < lists.size(); ++i) {
        const auto test =
            std::ranges::find(run->tests, "actions." + name_of_list(i), &TestResult::name);
        if (test != run->tests.end()) outcomes[i] = outcome_of(*test, *run, folder / "out");
    }
    // A guest that never got to its first list is a fact about the kernel or this machine.
    if (run->tests.empty() && run->ending != Ending::kInterrupted)
        return Error{EIO, "The guest did not come to its first list: " + run->ending_message};
    return outcomes;
}

Result<std::vector<ListOutcome>> run_lists(const ListRuns& runs, const std::string& name,
                                           const std::vector<ActionList>& lists) {
    std::vector<ListOutcome> outcomes;
    for (int batch = 1; outcomes.size() < lists.size(); ++batch) {
        const auto begin = lists.begin() + static_cast<ptrdiff_t>(outcomes.size());
        const size_t count = std::min<size_t>(runs.batch, lists.size() - outcomes.size());
        auto part = run_batch(runs, fmt::format("{}-{}", name, batch),
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
    const Result<RunSummary> run = summary_from_json(text_of(folder / "out" / "results.json"));
    return run ? run->kernel : std::string();
}

}  // namespace zcrxlab
