// Writes the JSON and the picture of measurements.
#include "results/bench/bench_files.hpp"

#include "results/bench/bench_plot.hpp"

namespace zcrxlab {

Result<void> write_measurements(ResultsFolder& out, const BenchTables& tables) {
    const std::string json = tables.to_json();
    if (auto written = out.write("bench.json", json); !written) return written;
    const std::string plot = bench_plot(json);
    return plot.empty() ? Result<void>() : out.write("bench.svg", plot);
}

}  // namespace zcrxlab
