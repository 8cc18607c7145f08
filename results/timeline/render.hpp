// Timelines as text for a terminal and as a page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/timeline/timeline.hpp"

namespace zcrxlab {

struct TextTerms {
    size_t width = 100;           // columns
    bool around_failure = false;  // only what is next to failures, nothing folded
    bool everything = false;      // nothing is folded
};

// A line for each item, in milliseconds since the timeline began; what repeats is folded.
std::string to_text(const Timeline& timeline, const TextTerms& terms);

// How many tests there are of which status, and where failures are.
std::string summary_of(const std::vector<Timeline>& timelines);

// The tests of a run that left no trace of their own, for want of what they need, or because the
// guest was lost before; `wanted` names those that are asked for. Empty without results (null).
std::vector<const TestResult*> tests_without(const std::vector<Timeline>& timelines,
                                             const RunSummary* results,
                                             const std::function<bool(const std::string&)>& wanted);
// Their names and why; empty if there are none.
std::string text_of_untraced(const std::vector<const TestResult*>& untraced);

// One page that needs nothing but itself. `title` names the run; `untraced` are named in it.
std::string to_page(const std::vector<Timeline>& timelines, const std::string& title,
                    const std::vector<const TestResult*>& untraced = {});

}  // namespace zcrxlab
