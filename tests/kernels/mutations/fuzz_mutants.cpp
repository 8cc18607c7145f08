// Any text as a kernel source: each mutant lies in it, keeps its lines, and has a name of its own.
// And as a list of what nobody could notice.
//
// reaches 70 % of kernels/c_source/tokens.cpp
// reaches 75 % of kernels/mutations/body.cpp
// reaches 75 % of kernels/mutations/mutants.cpp
// reaches 85 % of kernels/mutations/switched.cpp
// reaches 45 % of kernels/mutations/unnoticeable.cpp
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "kernels/mutations/mutants.hpp"
#include "kernels/mutations/switched.hpp"
#include "kernels/mutations/unnoticeable.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view source(reinterpret_cast<const char*>(data), size);
    const auto mutants = mutants_of(source);
    std::set<std::string> names;
    for (const Mutant& mutant : mutants) {
        if (mutant.begin >= mutant.end || mutant.end > size) std::abort();
        if (!names.insert(mutant.name).second) std::abort();
        const std::string changed = mutated(source, mutant);
        if (changed == source ||
            std::ranges::count(changed, '\n') != std::ranges::count(source, '\n'))
            std::abort();
    }
    // Operands are written twice for each operator around them.
    if (size < 4096 && switched(source, mutants, {}, "x").find("mutant") == std::string::npos)
        std::abort();
    if (const auto list = parse_unnoticeable(source); list) {
        for (const Unnoticeable& row : list->rows)
            if (row.function.empty() || row.line.empty() || row.reason.empty()) std::abort();
        if (misfits(list->rows, mutants, source).size() != list->rows.size()) std::abort();
        if (faults_of(*list).size() > 3 * list->rows.size()) std::abort();
    }
    const auto sample = sample_of(mutants, 3, size);
    if (sample.size() != std::min<size_t>(3, mutants.size())) std::abort();
    for (const Mutant& mutant : sample)
        if (patch_of(mutant, source, "a.c").find("--- a/a.c") == std::string::npos) std::abort();
    return 0;
}
