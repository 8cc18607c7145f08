// zcrxlab list: lists the scenarios and what they need.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct ListOptions {
    std::string filter;  // of GoogleTest; "" = all
    bool json = false;
};

void add_list_options(CLI::App& app, ListOptions& options);
std::string list_manual();
// Does not return where it succeeds: this process becomes the scenario program.
int list_command(const ListOptions& options);

}  // namespace zcrxlab
