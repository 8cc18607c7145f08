// Tap: what a test script of the kernel's printed, as results.
//
// Read are TAP and KTAP (Documentation/dev-tools/ktap.rst), with diagnostics before a result, as
// selftests have them, and the lines "TEST: name  [ OK ]" of net/forwarding/lib.sh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class TapOutcome { kOk, kNotOk, kSkip };
// "ok", "not-ok", "skip".
std::string_view name_of(TapOutcome outcome);

struct TapResult {
    std::string test;  // without blanks: "stats.check_down"; kWholeScript for the script itself
    TapOutcome outcome = TapOutcome::kOk;
    std::string said;  // the reason behind SKIP or XFAIL, and the diagnostics before the result
};

inline constexpr std::string_view kWholeScript = "(script)";

// The results of a script that printed `output` and ended with `exit_code`. An end that the results
// do not explain (no result, fewer than planned, an exit code of neither success, failure nor skip)
// is a result of kWholeScript. An expected failure is a skip, as the kernel's runner counts it. A
// test inside another one is called "outer/inner".
std::vector<TapResult> read_tap(std::string_view output, int exit_code);

}  // namespace zcrxlab
