// The files that a program needs to run elsewhere: itself, its loader, and its shared libraries.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// The loader that a program asks for (PT_INTERP); empty for a static one. EINVAL if `elf` is not a
// 64-bit little-endian ELF program.
Result<std::string> program_loader(std::string_view elf);

// The libraries of `program` as its own loader resolves them, and the loader; empty for a static
// program. ENOENT names a library that is missing.
Result<std::vector<std::filesystem::path>> program_libraries(const std::filesystem::path& program);

// An ELF file without what is not loaded when it runs (debug information, symbol table). Anything
// that is not such a file comes back as it is.
std::string without_debug_information(std::string elf);

}  // namespace zcrxlab
