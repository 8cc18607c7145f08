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
    // Which of those that the rule makes of such lines in the function, from 1; 0: all.
    unsigned number = 0;
    std::string line;  // of the source, as changed_line() has it
    std::string reason;
    uint32_t at = 0;  // the line of the list
};

struct UnnoticeableList {
    std::string version;    // of the kernel that it was written for: "7.3.4"
    uint32_t checksum = 0;  // CRC-32 of that kernel's source
    std::vector<Unnoticeable> rows;
};

// kernel-config/unnoticeable/SOURCE.list: first "written for VERSION CRC32"; then of each row
// "function rule" or "function rule NUMBER" on a line, behind "| " the line of the source, and the
// reason, indented; # at the start of a line is a comment. EINVAL names the line that is none of
// these.
Result<UnnoticeableList> parse_unnoticeable(std::string_view text);

// What is wrong with a list whatever the kernel, a sentence each: a row that is there twice, a
// reason that is no sentence, and a rule that makes no mistake of the row's own line. How many such
// lines there are only the source can say.
std::vector<std::string> faults_of(const UnnoticeableList& list);

// The row that is about `mutant` of `source`, or nullptr.
const Unnoticeable* row_about(std::span<const Unnoticeable> rows, const Mutant& mutant,
                              std::string_view source);

// Rows that are about none of `mutants`, which are all of `source`, a sentence each.
std::vector<std::string> misfits(std::span<const Unnoticeable> rows,
                                 std::span<const Mutant> mutants, std::string_view source);

}  // namespace zcrxlab
