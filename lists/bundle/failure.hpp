// Failure: holds a list of actions with what it showed. A file has one, or the folder in which a
// fuzz run or a shrink run has left it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// How one form of a list ended on one kernel.
struct Sighting {
    std::string form;     // "list", "c" or "script"
    std::string kernel;   // as uname -r has it
    std::string verdict;  // "bad", "good", or "cannot be judged"
    std::string said;     // on one line
};

struct Failure {
    std::string name;  // of the file or folder
    ActionList list;
    // Empty for a list alone.
    std::string kernel;       // on which it was seen, as uname -r has it
    std::string nic;          // as --nic takes it
    std::string fingerprint;  // what tells it from others
    std::string message;      // what was expected and what was seen
    std::string splat;        // lines of the kernel log
    // Kernels on which it was tried as a list.
    std::vector<std::string> bad, good;
    // What was seen of the forms in which it was given out.
    std::vector<Sighting> seen;
    // What showed is an embargoed finding; its title says so. In no file.
    bool embargoed = false;
};

// Names of the files in such a folder.
inline constexpr const char* kListFile = "list.actions";
inline constexpr const char* kFailureFile = "failure.json";

// The texts of both files; the name stays empty. EINVAL says what is wrong with which.
Result<Failure> failure_from(std::string_view list, std::string_view facts);
// The text of failure.json.
std::string to_json(const Failure& failure);

// A *.actions file, or a folder with both files. ENOENT, EINVAL say what is missing or wrong.
Result<Failure> read_failure(const std::filesystem::path& what);
// Writes both files; the folder is made.
Result<void> write_failure(const Failure& failure, const std::filesystem::path& folder);

}  // namespace zcrxlab
