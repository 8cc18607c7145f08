// BringUp: what the author of a driver wants to know that has just got the queue API and zero-copy
// receive: which scenarios ask for it, and what a run of them says of the driver, stage by stage.
//
// The scenarios are those of any run. What is here is their selection, and which operation of the
// driver (include/net/netdev_queues.h: struct netdev_queue_mgmt_ops) each part of it asks.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/report/report.hpp"

namespace zcrxlab {

struct BringUpStage {
    std::string_view name;       // for people, a few words
    std::string_view scenarios;  // GoogleTest patterns, with colons between them
    std::string_view asked;      // what of the driver to look at where one of them fails
};

// In the order in which a driver comes up: each stage needs what those before it ask. A run has the
// order of the chapters.
std::span<const BringUpStage> bring_up_stages();

// The scenarios of all stages, as a filter.
std::string bring_up_filter();

// What the run says of each stage: how many scenarios ended how; of those that failed their names
// and where to look; of those that were not asked why, each reason once. Ends with a newline.
std::string bring_up_report(const RunSummary& run);

}  // namespace zcrxlab
