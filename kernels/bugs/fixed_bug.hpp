// Fixed bugs: defects of zero-copy receive that some release does not have any more, as data.
//
// Versions are what a public source tells, which each row names. What our own runs have seen is in
// the findings (scenarios/known_issues), and a row only says which one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace zcrxlab {

// What is known of one stable branch. At least one of the two is there.
struct BranchFix {
    std::string_view fixed = {};  // first release of the branch without the bug; empty: not known
    // The newest release of the branch that is known to have it. Empty: all before `fixed`.
    std::string_view had = {};
};

// A text has no full stop at its end. A member without a default has to be written.
struct FixedBug {
    std::string_view id;           // words joined by hyphens; that of the finding if there is one
    std::string_view cve = {};     // "CVE-2025-40046"; empty: none is known
    std::string_view commit = {};  // of mainline, at least 12 digits; empty: not known
    std::string_view title;        // of that commit
    std::string_view user_sees;    // what goes wrong, as somebody sees it who writes programs
    std::string_view driver = {};  // the only driver that has it; empty: zero-copy receive itself
    // First release that has it, "6.15"; its candidates have it, too. Empty: not known.
    std::string_view since = {};
    std::vector<BranchFix> branches = {};
    // First release or candidate of mainline without it. A release stands for "not before, which
    // candidate is not known".
    std::string_view mainline;
    // Whether `branches` has every branch that has got the fix, as of `source`. A branch that is
    // missing there then has the bug, else it is not known.
    bool complete = false;
    std::string_view source;         // of the versions, with its date
    std::string_view finding = {};   // of scenarios/known_issues, which tells where it was seen
    std::string_view asserts = {};   // the scenarios that assert what it breaks, as a filter
    std::string_view mutation = {};  // of tests/kernel_mutations, a mistake that does the same
    // As Finding::embargoed: it is counted, and nothing else of it is said.
    bool embargoed = false;
};

// All of them, oldest first.
std::span<const FixedBug> fixed_bugs();

// Those of `bugs` of which may be told, and how many others there are.
std::vector<const FixedBug*> told_bugs(std::span<const FixedBug> bugs);
size_t untold_bugs(std::span<const FixedBug> bugs);

// The one that `word` names by its id, its CVE, or at least 7 digits of its commit; letters of any
// case. Null if none of which may be told does.
const FixedBug* find_bug(std::span<const FixedBug> bugs, std::string_view word);

}  // namespace zcrxlab
