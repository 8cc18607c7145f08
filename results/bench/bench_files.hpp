// Writes what measurements leave in the results folder.
#pragma once

#include "harness/base/result.hpp"
#include "results/bench/bench_table.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {

// bench.json, and bench.svg if receivers were compared.
Result<void> write_measurements(ResultsFolder& out, const BenchTables& tables);

}  // namespace zcrxlab
