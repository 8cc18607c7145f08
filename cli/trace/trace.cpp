// Reads traces, and prints or writes the timelines in them.
#include "cli/trace/trace.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/terminal.hpp"
#include "harness/base/fail.hpp"
#include "results/timeline/render.hpp"
#include "results/timeline/trace_files.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

Result<void> write_page(const fs::path& path, const std::string& page) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page << std::flush;
    if (!file) return error_from_errno("write " + path.string(), errno != 0 ? errno : EIO);
    return {};
}

// "7.3.4 on gve, seed 1: zcrxlab-out"
std::string title_of(const std::optional<RunSummary>& results, const fs::path& where) {
    const std::string from = where.lexically_normal().string();
    if (!results) return from;
    return fmt::format("{} on {}, seed {}: {}", results->kernel, results->nic, results->seed, from);
}

// Takes out of `timelines` what a page may not show, and gives a result for each in its place.
std::vector<TestResult> withhold(std::vector<Timeline>& timelines, const RunSummary* results) {
    std::vector<TestResult> withheld;
    std::erase_if(timelines, [&](const Timeline& timeline) {
        TestResult result{.name = timeline.test, .reached = Reached::kStart};
        if (results != nullptr)
            if (const auto found =
                    std::ranges::find(results->tests, timeline.test, &TestResult::name);
                found != results->tests.end())
                result = *found;
        const bool tells =
            is_embargoed(findings(), result) ||
            std::ranges::any_of(timeline.items, [](const Item& item) {
                return item.kind == ItemKind::kKernel && tells_of_embargoed(findings(), item.text);
            });
        if (!tells) return false;
        result.message = embargo_notice();
        withheld.push_back(std::move(result));
        return true;
    });
    return withheld;
}

}  // namespace

int trace_command(const TraceOptions& options) {
    const Result<std::vector<fs::path>> traces = traces_at(options.file);
    if (!traces) return fail(traces.error());
    const auto wanted = [&](const std::string& name) {
        return options.test.empty() || name == options.test ||
               ::fnmatch(options.test.c_str(), name.c_str(), 0) == 0;
    };

    std::vector<Timeline> timelines;
    std::vector<std::string> notes;
    const std::optional<RunSummary> results = results_of(traces->front());
    size_t tests = 0;
    for (const fs::path& trace : *traces) {
        const Result<Recording> recording = read_recording(trace, notes);
        if (!recording) return fail(recording.error());
        tests += recording->tests.size();
        for (Timeline& timeline : timelines_of(*recording, results ? &*results : nullptr, wanted))
            timelines.push_back(std::move(timeline));
    }
    const std::vector<const TestResult*> untraced =
        tests_without(timelines, results ? &*results : nullptr, wanted);
    for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
    if (timelines.empty() && !untraced.empty()) {
        fmt::print("{}", text_of_untraced(untraced));
        return 0;
    }
    if (timelines.empty())
        return fail(Error{
            ENOENT, fmt::format("None of the {} tests in {} is called {}; to see their names, "
                                "type: zcrxlab trace {} | grep -v '^ '",
                                tests, options.file, options.test, options.file)});

    if (!options.html.empty()) {
        const std::vector<TestResult> withheld = withhold(timelines, results ? &*results : nullptr);
        std::vector<const TestResult*> named = untraced;
        for (const TestResult& result : withheld) named.push_back(&result);
        if (timelines.empty())
            return fail(Error{EPERM, embargo_notice() +
                                         " A page is passed on; without --html the trace is shown "
                                         "here."});
        const std::string page = to_page(timelines, title_of(results, options.file), named);
        if (auto written = write_page(options.html, page); !written) return fail(written.error());
        fmt::print("{}{}page: {}\n", summary_of(timelines), text_of_untraced(untraced),
                   fs::absolute(options.html).lexically_normal().string());
        return 0;
    }
    const TextTerms terms{.width = terminal_width(),
                          .around_failure = !options.around.empty(),
                          .everything = options.full};
    bool shown = false;
    for (const Timeline& timeline : timelines) {
        if (terms.around_failure && timeline.failures.empty()) continue;
        fmt::print("{}{}", shown ? "\n" : "", to_text(timeline, terms));
        shown = true;
    }
    fmt::print("{}{}{}", shown ? "\n" : "", summary_of(timelines), text_of_untraced(untraced));
    return 0;
}

}  // namespace zcrxlab
