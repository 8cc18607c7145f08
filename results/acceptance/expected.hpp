// ExpectedTests: what outside tests are known to say, and how results differ from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "results/acceptance/tap.hpp"

namespace zcrxlab {

// A line "SCRIPT TEST OUTCOME [WHOSE "SYMPTOM" WHY...]" of a list; # begins a comment. SCRIPT may
// end with "@VM": that test of it runs in a VM of that kind, and not where the others of the script
// do.
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

// The options of the command line of `script` that choose its tests: "-T", "TEST" for each that is
// not run there, and with "@VM" "-t", "TEST" for each that is. TEST is without what stands before
// the first dot, which is the script's name. kWholeScript is all that is left out, or no choice.
std::vector<std::string> options_to_choose(const std::vector<ExpectedTest>& tests,
                                           std::string_view script);

// Each of `scripts`, without "@VM", in all VMs in which the list has tests of it; in the usual one
// if it has none.
std::vector<std::string> runs_of(const std::vector<ExpectedTest>& tests,
                                 const std::vector<std::string>& scripts);

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
