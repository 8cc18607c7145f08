// ExpectedTests: what outside tests are known to say, and how results differ from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "results/acceptance/tap.hpp"

namespace zcrxlab {

// A line "SCRIPT TEST OUTCOME [WHOSE "SYMPTOM" WHY...]" of a list; # begins a comment.
struct ExpectedTest {
    std::string script, test;
    TapOutcome outcome = TapOutcome::kOk;
    // It is not run, since it would harm more than itself or take too long: OUTCOME is "left-out".
    // TEST may end with "*" then: all that begin so; kWholeScript is all of the script.
    bool left_out = false;
    // Of what is not ok: whose it is ("driver", "kernel", "emulation", "device" or "tools"), a part
    // of what the test says of it, without which it is another failure, and why, for people.
    std::string whose, symptom, why;
};

// EINVAL names the first line that is none: an unknown word, a test that is named twice, a test
// that is not ok without whose it is, its symptom and why.
Result<std::vector<ExpectedTest>> read_expected(std::string_view text);

// The tests of `script` that are not run, as the options of its command line that leave them out:
// "-T", "TEST" without what stands before the first dot, which is the script's name.
std::vector<std::string> options_to_leave_out(const std::vector<ExpectedTest>& tests,
                                              std::string_view script);

// The tests of these scripts only.
std::vector<ExpectedTest> of_scripts(const std::vector<ExpectedTest>& tests,
                                     const std::vector<std::string>& scripts);

struct ScriptResults {
    std::string script;
    std::vector<TapResult> results;
};

// A sentence for each test that is not as expected: another outcome, another symptom, a test that
// is missing, and one that nobody expects. A script without results lacks all its tests.
std::vector<std::string> differences(const std::vector<ExpectedTest>& expected,
                                     const std::vector<ScriptResults>& found);

}  // namespace zcrxlab
