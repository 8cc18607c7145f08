// zcrxlab merge: joins the results of several machines into one table.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zcrxlab {

struct MergeOptions {
    std::vector<std::string> from;  // folders of results
    std::string out;                // "" is zcrxlab-matrix
};

void add_merge_options(CLI::App& app, MergeOptions& options);
std::string merge_manual();
// That of a matrix, as if one machine had run it all.
int merge_command(const MergeOptions& options);

}  // namespace zcrxlab
