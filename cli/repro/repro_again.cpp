// Makes lists of the tests of a run, runs them, and compares both runs.
#include "cli/repro/repro.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/terminal.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/from_trace/not_lists.hpp"
#include "lists/language/action_files.hpp"
#include "lists/runs/outcome.hpp"
#include "results/timeline/trace_files.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

struct Again {
    std::string test;
    Outcome first;
    std::string why_not;                   // there is no list
    std::vector<std::string> missing;      // what the list says that it lacks
    std::vector<std::string> differences;  // between both runs
    bool compared = false;
};

// A test's name as that of a file and of a scenario.
std::string file_name(std::string test) {
    std::ranges::replace(test, '/', '-');
    return test;
}

Result<void> write_text(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) return error_from_errno("write " + path.string(), errno != 0 ? errno : EIO);
    return {};
}

Result<std::vector<RecordedTest>> recorded_at(const fs::path& where) {
    const Result<std::vector<fs::path>> traces = traces_at(where);
    if (!traces) return traces.error();
    std::vector<RecordedTest> tests;
    for (const fs::path& path : *traces) {
        std::vector<std::string> notes;
        Result<Recording> recording = read_recording(path, notes);
        if (!recording) return recording.error();
        for (RecordedTest& test : recording->tests) tests.push_back(std::move(test));
    }
    return tests;
}

std::map<std::string, TestStatus> statuses_at(const fs::path& where) {
    std::map<std::string, TestStatus> statuses;
    const auto traces = traces_at(where);
    const auto results = traces ? results_of(traces->front()) : std::nullopt;
    if (results)
        for (const TestResult& test : results->tests) statuses[test.name] = test.status;
    return statuses;
}

Result<Again> made_of(const RecordedTest& test, TestStatus status, const fs::path& lists) {
    Again again;
    again.test = test.name;
    again.first = outcome_of(status, test.events);
    if (test.left_out != 0) {
        again.why_not = fmt::format(
            "the run did not keep {} of its events; type: zcrxlab run "
            "--whole-trace --filter '{}'",
            test.left_out, test.name);
        return again;
    }
    const Result<ActionList> list = list_from_trace(test.events);
    if (!list) {
        again.why_not = list.error().sentence;
        return again;
    }
    if (list->actions.empty()) {
        again.why_not = "it did nothing that a list can do";
        return again;
    }
    for (const std::string& comment : list->comments)
        if (comment.starts_with(kNotInHere))
            again.missing.push_back(comment.substr(kNotInHere.size()));
    if (auto written = write_text(lists / (file_name(test.name) + kActionsSuffix), to_text(*list));
        !written)
        return written.error();
    return again;
}

Result<void> compare(std::vector<Again>& all, const fs::path& run) {
    const Result<std::vector<RecordedTest>> tests = recorded_at(run);
    if (!tests) return tests.error();
    const auto statuses = statuses_at(run);
    for (Again& again : all) {
        if (!again.why_not.empty()) continue;
        const std::string name = "actions." + file_name(again.test);
        const auto status = statuses.find(name);
        const auto test = std::ranges::find(*tests, name, &RecordedTest::name);
        again.compared = true;
        if (status == statuses.end() || test == tests->end())
            again.differences = {"the list was not run to its end"};
        else
            again.differences = differences(again.first, outcome_of(status->second, test->events));
    }
    return {};
}

std::string table_of(const std::vector<Again>& all) {
    std::string text = "| test | again |\n|---|---|\n";
    for (const Again& again : all) {
        std::string what;
        if (!again.why_not.empty())
            what = "no list: " + again.why_not;
        else if (!again.compared)
            what = "not run";
        else if (again.differences.empty())
            what = "the same";
        else
            what = fmt::format("not the same: {}", fmt::join(again.differences, "; "));
        const std::string_view other = why_no_list(again.test);
        if (!other.empty()) what = fmt::format("not made of actions: {}; {}", other, what);
        if (!again.missing.empty())
            what += fmt::format(" (the list lacks {})", fmt::join(again.missing, "; "));
        text += fmt::format("| {} | {} |\n", again.test, on_one_line(what));
    }
    return text;
}

}  // namespace

int repro_again_command(ReproAgainOptions options) {
    const fs::path out =
        options.run.vm.out.empty() ? fs::path("zcrxlab-again") : options.run.vm.out;
    const Result<std::vector<RecordedTest>> tests = recorded_at(options.what);
    if (!tests) return fail(tests.error());
    const auto statuses = statuses_at(options.what);
    const fs::path lists = out / "lists";
    std::error_code error;
    fs::remove_all(lists, error);
    fs::create_directories(lists, error);
    if (error) return fail(Error{error.value(), "Cannot make the folder " + lists.string() + "."});

    std::vector<Again> all;
    for (const RecordedTest& test : *tests) {
        const auto status = statuses.find(test.name);
        const TestStatus was = status == statuses.end() ? TestStatus::kPassed : status->second;
        if (was == TestStatus::kSkipped || was == TestStatus::kLost) continue;
        if (!options.test.empty() && ::fnmatch(options.test.c_str(), test.name.c_str(), 0) != 0)
            continue;
        Result<Again> again = made_of(test, was, lists);
        if (!again) return fail(again.error());
        all.push_back(*std::move(again));
    }
    const auto with_list = static_cast<size_t>(
        std::ranges::count_if(all, [](const Again& a) { return a.why_not.empty(); }));
    if (all.empty())
        return fail(Error{ENOENT, options.what + " has no trace of a test that is called so."});
    if (with_list > 0 && !options.only_lists) {
        options.run.actions = lists.string();
        options.run.whole_trace = true;
        options.run.vm.out = out / "run";
        run_command(options.run);
        if (auto compared = compare(all, out / "run"); !compared) return fail(compared.error());
    }
    if (auto written = write_text(out / "again.md", table_of(all)); !written)
        return fail(written.error());
    size_t same = 0, other = 0, wrong = 0;
    for (const Again& again : all) {
        const bool good = again.compared && again.differences.empty();
        if (good)
            ++same;
        else if (!why_no_list(again.test).empty())
            ++other;
        else
            ++wrong;
    }
    fmt::print("{} tests, {} as lists", all.size(), with_list);
    if (!options.only_lists)
        fmt::print("; {} did the same again, {} did not, {} are not made of actions", same, wrong,
                   other);
    fmt::print("\n{}\n", (out / "again.md").string());
    return options.only_lists || wrong == 0 ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
