// Judgement: what a run on one kernel says about the tests that are compared.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "results/bisect/bisection.hpp"
#include "results/matrix/matrix.hpp"

namespace zcrxlab {

struct JudgedTest {
    std::string name;
    Verdict verdict = Verdict::kUnclear;
    std::string status;  // as in results.json
    std::string said;    // the symptom, or why it could not be judged; as the guest gave it
};

struct Judgement {
    Verdict verdict = Verdict::kUnclear;
    std::string why;                // kUnclear: a sentence
    std::vector<JudgedTest> tests;  // those that count, in the order they ran
};

// What became of one test. A known defect is bad; what one kept from being
// judged says nothing. One that was running when the kernel panicked is
// bad; whatever else takes the guest away says nothing about its kernel.
JudgedTest judged(const TestResult& test, Ending ending);

// Bad if one of `tests` is bad, good if all of them are. Anything else is unclear, among it a
// kernel that did not come up, could not be fetched, or has no driver for the NIC. Without `tests`,
// those of the run that can be judged.
Judgement judge(const MatrixRun& run, const std::vector<std::string>& tests = {});

// The tests that are good in `good` and bad in `bad`: those that are compared. EINVAL with what to
// type if there are none, or one end is not what it is said to be. `command` is how the bisection
// was called, but for --good and --bad; `look` shows the tests on all kernels.
Result<std::vector<std::string>> compared_tests(const MatrixRun& good, const MatrixRun& bad,
                                                const std::string& command,
                                                const std::string& look);

}  // namespace zcrxlab
