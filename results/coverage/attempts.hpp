// What was found about mistakes that were made in a kernel on purpose, and how many were noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "results/coverage/verdict_on_patch.hpp"

namespace zcrxlab {

// A scenario that failed with a mistake, and was not proved to fail because of it: in so many runs
// of it alone.
struct AtTimes {
    std::string test;
    FailureRate with, without;
};

// One mistake.
struct Attempt {
    std::string name = {}, title = {};
    // Where it is: "io_uring/zcrx.c", its function, and the line; and "off-by-one", the rule that
    // made it. Empty and 0 of a patch.
    std::string source = {}, function = {}, rule = {};
    uint32_t line = 0;
    // "kernel.mutant_zcrx=7": what makes it in the kernel with all of them, below /sys/module.
    // Empty of one that was built alone.
    std::string setting = {};
    std::string problem = {};    // why it could not be tried; empty if it was
    std::string set_aside = {};  // why nobody has to notice it; empty if somebody has
    bool by_hand = false;        // a person set it aside, not a compiler
    bool unreached = false;      // no scenario came by it, so that none was asked
    PatchVerdict verdict = {};
    std::vector<AtTimes> at_times = {};
    FailureRate alone = {};  // of the scenario that noticed it
    double build_seconds = 0, run_seconds = 0;
};

// For people: a line or two, with a newline.
std::string line_of(const Attempt& attempt);

struct Attempts {
    // What was asked for: the sources, the scenarios. Attempts of other terms say nothing here.
    std::string terms;
    std::vector<Attempt> all;
};

// {terms, score, mistakes: [{name, title, ...}]}, a mistake on each line, without what is empty.
std::string to_json(const Attempts& attempts);
// The same, short enough to be kept beside the code: without what the sources say of a mistake,
// without words and times, and without what may be otherwise the next time: what could not be
// tried, and what a person set aside.
std::string to_record(Attempts attempts);
// EINVAL if it is none of ours.
Result<Attempts> attempts_from_json(std::string_view text);

// What became of a mistake; of several on one line the last of these is the line's.
enum class Outcome { kSetAside, kNoticed, kNotTried, kAtTimes, kNotNoticed };
Outcome outcome_of(const Attempt& attempt);
// "noticed", "set aside", "not tried", "at times", "not noticed"
std::string_view name_of(Outcome outcome);
// "receive.one_byte (I1) in 1 of 2 runs: it said so"; of what shows at times, of each scenario how
// often it failed; why it was set aside, or not tried. Of what nobody noticed, that nobody came by
// it; or else empty.
std::string who_noticed(const Attempt& attempt);

struct MutationScore {
    size_t tried = 0, noticed = 0;      // noticed of tried
    size_t at_times = 0;                // of those that were not noticed, a scenario failed
    size_t unreached = 0;               // of those that were not noticed, no scenario came by
    size_t set_aside = 0, by_hand = 0;  // by hand of those set aside
    size_t not_tried = 0;
};
MutationScore score_of(const std::vector<Attempt>& attempts);
// "tried 3 of 9, about 4 min left", if the first took so many seconds, and others take as long.
std::string progress_text(size_t tried, size_t all, double seconds);
// "12 of 15 noticed, 1 more at times, 1 that no scenario comes by; 3 set aside, 1 of them by hand"
std::string to_text(const MutationScore& score);

}  // namespace zcrxlab
