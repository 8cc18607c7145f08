// Failure: a list of actions with what it showed, from a file, or from the folder in which a fuzz
// run or a shrink run has left it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/actions/list.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

struct Failure {
    std::string name;  // of the file or folder
    ActionList list;
    // Empty for a list alone.
    std::string kernel;                  // on which it was seen, as uname -r has it
    std::string nic;                     // "gve", "nodev" ...
    std::string fingerprint;             // what tells it from others
    std::string message;                 // what was expected and what was seen
    std::string splat;                   // lines of the kernel log
    std::vector<std::string> bad, good;  // kernels on which it was tried
};

// Names of the files in such a folder.
inline constexpr const char* kListFile = "list.actions";
inline constexpr const char* kFailureFile = "failure.json";

// A *.actions file, or a folder with both files. ENOENT, EINVAL say what is missing or wrong.
Result<Failure> read_failure(const std::filesystem::path& what);
// Writes both files; the folder is made.
Result<void> write_failure(const Failure& failure, const std::filesystem::path& folder);

}  // namespace zcrxlab
