// Makes verdicts of test results.
#include "results/bisect/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zcrxlab {

namespace {

bool is_wanted(const std::string& name, const std::vector<std::string>& tests) {
    return tests.empty() || std::ranges::find(tests, name) != tests.end();
}

// On one line, with a full stop.
std::string sentence_of(const std::string& text) {
    std::string line = on_one_line(text);
    while (line.ends_with(' ')) line.pop_back();
    return line.ends_with('.') ? line : line + ".";
}

// A sentence about the first test that is bad.
std::string first_bad(const Judgement& judgement) {
    for (const JudgedTest& test : judgement.tests)
        if (test.verdict == Verdict::kBad)
            return sentence_of(fmt::format("{} is {}: {}", test.name, test.status, test.said));
    return sentence_of(judgement.why);
}

bool holds(const Judgement& judgement, const std::string& name, Verdict verdict) {
    return std::ranges::any_of(judgement.tests, [&](const JudgedTest& test) {
        return test.name == name && test.verdict == verdict;
    });
}

}  // namespace

JudgedTest judged(const TestResult& test, Ending ending) {
    JudgedTest result{test.name, Verdict::kUnclear, std::string(name_of(test.status)),
                      test.message};
    switch (test.status) {
        case TestStatus::kPassed:
            result.verdict = Verdict::kGood;
            break;
        case TestStatus::kFailed:
        case TestStatus::kKnown:
            result.verdict = Verdict::kBad;
            break;
        // Nothing was learnt about its claim.
        case TestStatus::kBlocked:
        case TestStatus::kSkipped:
            break;
        case TestStatus::kLost:
            if (ending == Ending::kPanicked && test.reached == Reached::kStart)
                result.verdict = Verdict::kBad;
            break;
    }
    return result;
}

Judgement judge(const MatrixRun& run, const std::vector<std::string>& tests) {
    Judgement judgement;
    if (run.state != RunState::kRan) {
        judgement.why = run.message;
        return judgement;
    }
    std::string obstacle = run.results.ending_message;
    for (const TestResult& result : run.results.tests) {
        if (!is_wanted(result.name, tests)) continue;
        JudgedTest test = judged(result, run.results.ending);
        if (test.verdict == Verdict::kUnclear) {
            if (obstacle.empty())
                obstacle = fmt::format("{} was {}: {}", test.name, test.status, test.said);
            if (tests.empty()) continue;
        }
        judgement.tests.push_back(std::move(test));
    }
    const auto count = [&](Verdict verdict) {
        return static_cast<size_t>(
            std::ranges::count(judgement.tests, verdict, &JudgedTest::verdict));
    };
    if (count(Verdict::kBad) > 0) {
        judgement.verdict = Verdict::kBad;
    } else if (const size_t good = count(Verdict::kGood);
               good > 0 && good == judgement.tests.size() && good >= tests.size()) {
        judgement.verdict = Verdict::kGood;
    } else {
        judgement.why = obstacle.empty() ? "The run has no result of it." : obstacle;
    }
    return judgement;
}

Result<std::vector<std::string>> compared_tests(const MatrixRun& good, const MatrixRun& bad,
                                                const std::string& command,
                                                const std::string& look) {
    const Judgement of_good = judge(good), of_bad = judge(bad);
    const std::string hint = " To see which kernels are which, type: " + look;
    const auto unclear = [&](const char* option, const MatrixRun& run, const Judgement& judgement) {
        return Error{EINVAL, fmt::format("{} {} cannot be judged: {} Name another kernel.{}",
                                         option, run.kernel, sentence_of(judgement.why), hint)};
    };
    if (of_good.verdict == Verdict::kUnclear) return unclear("--good", good, of_good);
    if (of_bad.verdict == Verdict::kUnclear) return unclear("--bad", bad, of_bad);
    if (of_good.verdict == Verdict::kBad && of_bad.verdict == Verdict::kGood)
        return Error{EINVAL,
                     fmt::format("It is the other way round: {} is bad, and {} is good. Type: {} "
                                 "--good {} --bad {}",
                                 good.kernel, bad.kernel, command, bad.kernel, good.kernel)};
    if (of_good.verdict == Verdict::kBad)
        return Error{EINVAL, fmt::format("--good {} is bad: {} Name a kernel on which it passes.{}",
                                         good.kernel, first_bad(of_good), hint)};
    if (of_bad.verdict == Verdict::kGood)
        return Error{EINVAL, fmt::format("--bad {} is good: nothing of it fails there. Name a "
                                         "kernel on which it does.{}",
                                         bad.kernel, hint)};
    std::vector<std::string> tests;
    for (const JudgedTest& test : of_bad.tests)
        if (test.verdict == Verdict::kBad && holds(of_good, test.name, Verdict::kGood))
            tests.push_back(test.name);
    if (tests.empty())
        return Error{EINVAL,
                     fmt::format("What is bad on --bad {} was not judged on --good {}: {} Name "
                                 "another kernel with --good.{}",
                                 bad.kernel, good.kernel, first_bad(of_bad), hint)};
    return tests;
}

}  // namespace zcrxlab
