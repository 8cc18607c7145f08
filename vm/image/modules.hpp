// ModuleIndex: the modules of one kernel, and those to load for some wanted ones, in order.
//
// Neither depmod nor modprobe is needed: dependencies are read from the modules themselves
// (`depends=` in .modinfo), what is built in from modules.builtin.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct KernelModule {
    std::string name;   // as lsmod shows it: underscores only
    std::string bytes;  // the ELF file, uncompressed
};

class ModuleIndex {
  public:
    // `folder` holds kernel/ and modules.builtin. An empty path stands for a kernel whose modules
    // are not at hand: whatever is wanted is taken to be built in. ENOENT if it is not there.
    static Result<ModuleIndex> open(const std::filesystem::path& folder);

    // Adds a module from elsewhere, built for the same kernel; it goes before one of that name.
    void add(const std::filesystem::path& file);
    // The same, and looks at it: its name, or EINVAL if it is no module, or not built for `release`
    // (as uname -r says).
    Result<std::string> replace(const std::filesystem::path& file, const std::string& release);

    // Whether `name` is a module or built in (or cannot be known).
    bool has(std::string_view name) const;
    // `wanted` and all that they depend on, dependencies first, each once; what is built in is left
    // out. ENOENT names a module that is missing and who needs it, ELOOP a cycle, EINVAL or EIO a
    // file that is no module.
    Result<std::vector<KernelModule>> in_order(const std::vector<std::string>& wanted) const;

  private:
    bool known_ = true;
    std::map<std::string, std::filesystem::path> files_;
    std::set<std::string> builtin_;
};

// The file, decompressed if it is (xz, zstd, gzip ...).
Result<std::string> read_decompressed(const std::filesystem::path& file);

// The value of `key` in the .modinfo section of a 64-bit little-endian ELF file: "a,b" for
// "depends". ENOENT if there is no such key, EINVAL if the bytes are no such file.
Result<std::string> modinfo_value(std::string_view elf, std::string_view key);

}  // namespace zcrxlab
