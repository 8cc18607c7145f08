// Finds our own programs beside this one, and programs of the host for the guest.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

// One of ours: zcrx-init, zcrx-nic, zcrx-scenarios. In the build tree, or where it was installed:
// beside this program or in ../libexec/zcrxlab. ENOENT says how to build it.
Result<std::filesystem::path> own_program(const std::string& name);

// A program of the host by name or path; empty if there is none.
std::filesystem::path host_program(const std::string& name);

}  // namespace zcrxlab
