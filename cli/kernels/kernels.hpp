// zcrxlab kernels: lists the kernels that can be had, and those in the cache.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct KernelsOptions {
    bool json = false;
    std::string fetch;  // only see to it that this one is in the cache; "" = list
};

void add_kernels_options(CLI::App& app, KernelsOptions& options);
std::string kernels_manual();
// 0, or kExitUsage with a sentence.
int kernels_command(const KernelsOptions& options);

}  // namespace zcrxlab
