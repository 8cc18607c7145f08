// zcrxlab source: fetches what outside tests and modules are built from, and says where it is.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct SourceOptions {
    std::string what;     // "kernel", "headers" or "liburing"
    std::string version;  // a series for "kernel", a kernel for "headers"; "" = the standard one
};

void add_source_options(CLI::App& app, SourceOptions& options);
std::string source_manual();
// Prints a path; 0, or kExitUsage with a sentence.
int source_command(const SourceOptions& options);

}  // namespace zcrxlab
