// Unnoticeable: mistakes that nobody could notice, named by hand with the reason.
//
// A compiler sets aside what makes the same code. What makes other code that does the same (a WARN
// that never fires, a pointer that is poisoned and freed) only a person can tell.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/mutations/mutants.hpp"

namespace zcrxlab {

struct Unnoticeable {
    std::string function;
    Mistake mistake{};
    std::string line;  // of the source, as changed_line() has it
    std::string reason;
    uint32_t at = 0;  // the line of the list
};

// kernel-config/unnoticeable/SOURCE.list: "function rule" on a line, behind "| " the line of the
// source, then the reason, indented; # at the start of a line is a comment. EINVAL names the line
// that is none of these.
Result<std::vector<Unnoticeable>> parse_unnoticeable(std::string_view text);

// The row that is about `mutant` of `source`, or nullptr.
const Unnoticeable* row_about(std::span<const Unnoticeable> rows, const Mutant& mutant,
                              std::string_view source);

// Rows that are about none of `mutants`, which are all of `source`, a sentence each.
std::vector<std::string> misfits(std::span<const Unnoticeable> rows,
                                 std::span<const Mutant> mutants, std::string_view source);

}  // namespace zcrxlab
