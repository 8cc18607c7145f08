// zcrxlab shell: boots the VM of "run" with a prompt.
#pragma once

#include <string>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct ShellOptions {
    VmOptions vm;
};

void add_shell_options(CLI::App& app, ShellOptions& options);
std::string shell_manual();
// 0 once the guest was powered off; 255 if the NIC ended first.
int shell_command(const ShellOptions& options);

}  // namespace zcrxlab
