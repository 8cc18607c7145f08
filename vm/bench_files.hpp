// What measurements leave in the folder for results.
#pragma once

#include "harness/base/result.hpp"
#include "vm/bench_table.hpp"
#include "vm/results_folder.hpp"

namespace zcrxlab {

// bench.json, and bench.svg if receivers were compared.
Result<void> write_measurements(ResultsFolder& out, const BenchTables& tables);

}  // namespace zcrxlab
