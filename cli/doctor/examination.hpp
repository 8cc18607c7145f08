// What of this machine works for a run, what does not, and the command that repairs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zcrxlab {

struct Diagnosis {
    enum class Health {
        kGood,
        kNote,  // a run works without it, or mends it itself
        kBad,   // no run can work
    };
    Health health = Health::kGood;
    std::string sentence;
    std::string cure;  // the command that mends it, or what happens by itself; may be empty
};

// What examine() is told; all may be left as it is.
struct Examination {
    std::filesystem::path source;      // the checkout, for the list in ci/packages; empty: left out
    uint64_t guest_memory = 1u << 30;  // bytes
    bool network = true;               // whether the mirror may be asked
};

// Looks at machine, build packages, QEMU, KVM, kernels, mirror, keys, cache and memory, in this
// order. Fetches no packages; the package lists of kernels are refreshed if they are older than a
// day. Takes a few seconds at most where the mirror answers.
std::vector<Diagnosis> examine(const Examination& examination);

// One line for each diagnosis, with its cure below it, and a sentence at the end.
std::string doctor_text(const std::vector<Diagnosis>& diagnoses);

// The same as a JSON list: health ("ok", "note" or "fail"), sentence and cure of each.
std::string doctor_json(const std::vector<Diagnosis>& diagnoses);

// 0 if a run can work, else 1.
int doctor_exit_code(const std::vector<Diagnosis>& diagnoses);

// The packages that ci/packages (its text) lists for `purpose` ("run" or "test").
std::vector<std::string> packages_for(const std::string& text, const std::string& purpose);

// Those of `packages` that are not installed, given the output of
// dpkg-query -W -f '${db:Status-Status}:${Package}\n'.
std::vector<std::string> missing_packages(const std::vector<std::string>& packages,
                                          const std::string& dpkg_output);

}  // namespace zcrxlab
