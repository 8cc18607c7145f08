// Reads and compares numbers of tests.
#include "harness/report/expected_counts.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "harness/base/number.hpp"

namespace zcrxlab {

Result<ExpectedCounts> expected_counts_from(std::string_view text) {
    ExpectedCounts counts;
    while (true) {
        const size_t end = std::min(text.find(','), text.size());
        const std::string_view part = text.substr(0, end);
        const size_t equals = std::min(part.find('='), part.size());
        const std::optional<TestStatus> status = status_from_name(part.substr(0, equals));
        const std::optional<size_t> number =
            equals < part.size() ? number_from<size_t>(part.substr(equals + 1)) : std::nullopt;
        if (!status || !number)
            return Error{EINVAL, "\"" + on_one_line(part) +
                                     "\" is no status and its number; like this: "
                                     "passed=498,known=20,skipped=19"};
        if (!counts.emplace(*status, *number).second)
            return Error{EINVAL, std::string(name_of(*status)) + " is there twice"};
        if (end == text.size()) return counts;
        text.remove_prefix(end + 1);
    }
}

std::string unexpected_counts(const ExpectedCounts& expected, const RunSummary& run) {
    std::string sentence;
    for (const auto& [status, number] : expected) {
        const auto seen =
            static_cast<size_t>(std::ranges::count(run.tests, status, &TestResult::status));
        if (seen == number) continue;
        sentence += (sentence.empty() ? "Not as expected: " : ", ") + std::to_string(seen) + " " +
                    std::string(name_of(status)) + " in place of " + std::to_string(number);
    }
    if (!sentence.empty()) sentence += ". If that is right, change the numbers of --expect.";
    return sentence;
}

}  // namespace zcrxlab
