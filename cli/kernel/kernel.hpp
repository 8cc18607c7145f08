// zcrxlab kernel build: builds a kernel from source, ready for "run --kernel NAME".
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zcrxlab {

struct KernelBuildOptions {
    std::string source;                  // a tree, a series, or "" for the standard series
    std::vector<std::string> fragments;  // of kernel-config/, or files; "base" is always there
    std::string output;                  // "" is a folder of the cache
    std::string name;                    // "" is made of the source and the fragments
    unsigned jobs = 0;                   // 0 is one for each processor
    bool configure_only = false;         // fail if a requested setting did not take
};

void add_kernel_options(CLI::App& app, KernelBuildOptions& options);
std::string kernel_manual();
// 1 if the build failed, or, where it is only configured, a setting did not take.
int kernel_command(const KernelBuildOptions& options);

}  // namespace zcrxlab
