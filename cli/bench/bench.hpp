// zcrxlab bench: measures, with QEMU's own NICs beside ours; never a test.
#pragma once

#include <string>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct BenchOptions {
    VmOptions vm;
    std::string filter;  // of GoogleTest; "" = the chapter bench
};

void add_bench_options(CLI::App& app, BenchOptions& options);
std::string bench_manual();
// The exit codes of a run.
int bench_command(const BenchOptions& options);

}  // namespace zcrxlab
