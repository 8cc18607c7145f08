// The report for people: a line per test, a failure at length, and the summary.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

void add_indented(std::string& into, std::string_view text) {
    const std::string clean = cleaned(text);
    for (size_t at = 0; at < clean.size();) {
        const size_t end = std::min(clean.find('\n', at), clean.size());
        into += "    " + clean.substr(at, end - at) + "\n";
        at = end + 1;
    }
}

void add_section(std::string& into, std::string_view title, std::string_view text) {
    if (text.empty()) return;
    into += fmt::format("  {}:\n", title);
    add_indented(into, text);
}

std::string_view of(Ending ending) {
    switch (ending) {
        case Ending::kFinished:
            return "finished";
        case Ending::kTimeout:
            return "TIMEOUT";
        case Ending::kPanicked:
            return "PANICKED";
        case Ending::kLost:
            return "LOST";
        case Ending::kInterrupted:
            return "INTERRUPTED";
    }
    return "LOST";
}

}  // namespace

std::string to_line(const TestResult& test) {
    std::string line = fmt::format("{:<8} {}  {:.2f} s", name_of(test.status),
                                   on_one_line(test.name), test.seconds);
    if (test.status == TestStatus::kSkipped) line += ": " + on_one_line(test.message);
    if (test.status == TestStatus::kKnown || test.status == TestStatus::kBlocked)
        line += ": " + on_one_line(test.reference);
    return line;
}

std::string to_text(const TestResult& test, std::string_view console, std::string_view rerun,
                    std::string_view timeline) {
    std::string text = fmt::format("{} {}\n", test.status == TestStatus::kLost ? "LOST" : "FAILED",
                                   on_one_line(test.name));
    add_indented(text, test.message.empty() && test.status == TestStatus::kLost
                           ? "The guest never told the end of this test."
                           : std::string_view(test.message));
    std::string trace;
    for (const std::string& line : test.trace) trace += on_one_line(line) + "\n";
    add_section(text, "trace around it", trace);
    add_section(text, "last console lines", console);
    add_section(text, "see all of its trace", timeline);
    add_section(text, "run just this one again", rerun);
    return text;
}

std::string to_text(const RunSummary& run) {
    std::array<size_t, kTestStatuses> counts{};
    for (const TestResult& test : run.tests) ++counts[static_cast<size_t>(test.status)];
    std::string text =
        fmt::format("{} tests in {:.1f} s on {} ({}), seed {}:", run.tests.size(), run.seconds,
                    on_one_line(run.nic), on_one_line(run.kernel), run.seed);
    const char* separator = " ";
    for (const TestStatus status :
         {TestStatus::kPassed, TestStatus::kFailed, TestStatus::kKnown, TestStatus::kBlocked,
          TestStatus::kSkipped, TestStatus::kLost}) {
        const size_t count = counts[static_cast<size_t>(status)];
        if (count == 0 && status != TestStatus::kPassed) continue;
        text += fmt::format("{}{} {}", separator, count, name_of(status));
        separator = ", ";
    }
    text += "\n";
    if (const size_t blocked = counts[static_cast<size_t>(TestStatus::kBlocked)]; blocked > 0)
        text += fmt::format("{} blocked: their claims were not judged; why stands beside each\n",
                            blocked);
    if (!run.unexpected.empty()) text += cleaned(run.unexpected) + "\n";
    if (run.ending != Ending::kFinished)
        text += fmt::format("{}: {}\n", of(run.ending), on_one_line(run.ending_message));
    return text;
}

std::string time_by_chapter(const RunSummary& run) {
    constexpr size_t kLongest = 5;
    struct Chapter {
        double seconds = 0;
        size_t tests = 0;
    };
    std::map<std::string, Chapter> chapters;
    std::vector<const TestResult*> tests;
    for (const TestResult& test : run.tests) {
        Chapter& chapter = chapters[test.name.substr(0, test.name.find('.'))];
        chapter.seconds += test.seconds;
        ++chapter.tests;
        tests.push_back(&test);
    }
    if (chapters.size() < 2) return "";
    std::vector<std::pair<std::string, Chapter>> list(chapters.begin(), chapters.end());
    std::ranges::stable_sort(list, std::ranges::greater(),
                             [](const auto& entry) { return entry.second.seconds; });
    std::ranges::stable_sort(tests, std::ranges::greater(), &TestResult::seconds);
    std::string text = "seconds by chapter: ";
    const char* separator = "";
    for (const auto& [name, chapter] : list) {
        text += fmt::format("{}{} {:.1f} ({} tests)", separator, on_one_line(name), chapter.seconds,
                            chapter.tests);
        separator = ", ";
    }
    text += "\nlongest: ";
    separator = "";
    for (size_t i = 0; i < std::min(kLongest, tests.size()); ++i) {
        text +=
            fmt::format("{}{} {:.1f}", separator, on_one_line(tests[i]->name), tests[i]->seconds);
        separator = ", ";
    }
    return text + "\n";
}

}  // namespace zcrxlab
