// Joins matrices, and derives the verdict of a matrix.
#include "results/matrix/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "harness/base/exit_code.hpp"

namespace zcrxlab {

std::string folder_name(std::string_view kernel, std::string_view nic) {
    std::string name(kernel);
    if (const size_t slash = kernel.find_last_of('/'); slash != std::string_view::npos) {
        std::string_view path = kernel;
        while (path.ends_with('/')) path.remove_suffix(1);
        // Two trees may have the same last part.
        name = fmt::format("{}-{:08x}", path.substr(path.find_last_of('/') + 1),
                           std::hash<std::string_view>{}(kernel)&0xffffffff);
    }
    for (char& c : name)
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '.' && c != '+' && c != '_')
            c = '-';
    return fmt::format("{}-{}", name, nic);
}

std::string difference(const MatrixTerms& left, const MatrixTerms& right) {
    const auto differ = [](std::string_view what, std::string_view one, std::string_view other) {
        return fmt::format("they are of {} \"{}\" and \"{}\"", what, one, other);
    };
    if (left.zcrxlab != right.zcrxlab) return differ("zcrxlab", left.zcrxlab, right.zcrxlab);
    if (left.filter != right.filter) return differ("filter", left.filter, right.filter);
    if (left.options != right.options) return differ("options", left.options, right.options);
    if (left.seed != right.seed)
        return differ("seed", std::to_string(left.seed), std::to_string(right.seed));
    return {};
}

Result<Matrix> merged(const std::vector<Matrix>& parts, std::vector<std::string>& notes) {
    if (parts.empty()) return Error{EINVAL, "There are no results to merge."};
    Matrix all;
    all.terms = parts.front().terms;
    for (const Matrix& part : parts) {
        if (const std::string differs = difference(all.terms, part.terms); !differs.empty())
            return Error{EINVAL, "These results cannot stand in one table: " + differs + "."};
        if (all.catalogue.chapters.empty()) all.catalogue = part.catalogue;
        for (const MatrixRun& run : part.runs) {
            const auto same = std::ranges::find_if(all.runs, [&](const MatrixRun& other) {
                return other.kernel == run.kernel && other.nic == run.nic;
            });
            if (same == all.runs.end()) {
                all.runs.push_back(run);
            } else if (same->state == RunState::kPlanned ||
                       (same->state == RunState::kNotStarted && run.state != RunState::kPlanned)) {
                *same = run;
            } else if (run.state == RunState::kRan) {
                notes.push_back(fmt::format("{} on {} is there twice; the first one is taken.",
                                            run.kernel, run.nic));
            }
        }
    }
    return all;
}

int exit_code(const Matrix& matrix) {
    bool not_started = false, passed = false;
    std::vector<int> codes;
    for (const MatrixRun& run : matrix.runs) {
        if (run.state == RunState::kNotStarted) not_started = true;
        if (run.state != RunState::kRan) continue;
        codes.push_back(exit_code(run.results));
        if (codes.back() == kExitPassed) passed = true;
    }
    for (const int worst : {kExitLost, kExitTimeout, kExitFailed})
        if (std::ranges::find(codes, worst) != codes.end()) return worst;
    if (not_started || std::ranges::find(codes, kExitUsage) != codes.end()) return kExitUsage;
    return passed ? kExitPassed : kExitSkipped;
}

}  // namespace zcrxlab
