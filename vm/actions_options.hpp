// The options of zcrxlab fuzz and zcrxlab shrink that are not about the VM.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/commands.hpp"

namespace zcrxlab {

// Of commands whose guests run tests.
void add_silence_option(CLI::App& command, VmOptions& options);
void add_fuzz_options(CLI::App& command, FuzzOptions& options);
void add_shrink_options(CLI::App& command, ShrinkOptions& options);

}  // namespace zcrxlab
