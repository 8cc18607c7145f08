// A run with one test of each kind, and with texts that would like to be more than text.
#pragma once

#include "harness/report/report.hpp"

namespace zcrxlab {

RunSummary told_run();

}  // namespace zcrxlab
