// Mutants: the small mistakes that can be made in a kernel source, one at a time.
//
// Whoever writes a mistake by hand writes one that is noticed. These are all that a rule makes of a
// source, so that what goes unnoticed says something about the scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class Mistake : uint8_t {
    kCallLeftOut,        // a statement that is a call
    kLockLeftOut,        // the same, of a lock or a reference
    kAssignmentLeftOut,  // a statement that is an assignment, "x++" too
    kConditionAlways,    // of an if; it is still evaluated
    kConditionNever,     // of an if or a loop; it is still evaluated
    kComparison,         // < for <=, == for !=, and so on
    kLogic,              // && for ||
    kArithmetic,         // + for -, << for >>
    kOffByOne,           // one more than a number
    kErrorIsSuccess,     // 0 for an errno
    kFlagMissing,        // 0 for a flag that is set
};

// As on the command line and in files: "call-left-out".
std::string_view name_of(Mistake mistake);
std::optional<Mistake> mistake_from_name(std::string_view name);

struct Mutant {
    std::string name;      // of this one in its file: "zcrx_put-388-comparison", "...-2"
    std::string function;  // in which it is
    uint32_t line = 0;     // of the first change, from 1
    Mistake mistake{};
    size_t begin = 0, end = 0;  // bytes of the source that `replacement` takes the place of
    std::string replacement;    // has as many newlines as these
    size_t statement = 0;       // where the statement or condition begins that it is in
};

// All of a source in the kernel's style, in its order. What compiles and what changes the object is
// not known here.
std::vector<Mutant> mutants_of(std::string_view source);

// `count` of them by lot, the same for the same `seed`, in their order; all if there are fewer.
std::vector<Mutant> sample_of(std::vector<Mutant> mutants, size_t count, uint64_t seed);

std::string mutated(std::string_view source, const Mutant& mutant);

// The lines of `source` that it changes, as one, without what is at their ends: "if (a && b)".
std::string changed_line(const Mutant& mutant, std::string_view source);

// "io_uring/zcrx.c:388: comparison in zcrx_put: old < refs becomes old <= refs"
std::string describe(const Mutant& mutant, std::string_view source, std::string_view path);

// A unified diff of `source`, the file `path` of a tree. GPL-2.0, as what it changes.
std::string patch_of(const Mutant& mutant, std::string_view source, std::string_view path);

}  // namespace zcrxlab
