// Bench plot: what receivers cost, as a picture.
#pragma once

#include <string>
#include <string_view>

namespace zcrxlab {

// An SVG with a group of bars for each buffer size and number of queues, a bar for each way: above
// the throughput with its spread, below the processor time of each KiB. From the JSON of
// BenchTables; empty if there is no table "Receivers" in it.
std::string bench_plot(std::string_view json);

}  // namespace zcrxlab
