// Finds the ends of the range, and what lies between them.
#include "results/bisect/range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/release.hpp"
#include "results/matrix/plan.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kSuggestions = 6;
constexpr const char* kAll = "To see all, type: zcrxlab kernels";

Result<std::string> end_of_range(const char* option, const std::string& wanted,
                                 const std::vector<KernelChoice>& choices,
                                 const std::string& flavour) {
    if (wanted.find('/') != std::string::npos)
        return Error{EINVAL, fmt::format("{} {}: that is a path, and only Debian's kernels have an "
                                         "order; name one of these. {}",
                                         option, wanted, kAll)};
    auto wish = KernelWish::parse(wanted);
    const auto named = wanted_kernels(wanted, choices, flavour);
    if (!named) {
        if (!wish) return named.error();
        if (wish->flavour.empty()) wish->flavour = flavour;
        const auto nearest = nearest_choices(choices, *wish, kSuggestions);
        if (nearest.empty()) return named.error();
        return Error{ENOENT, fmt::format("{} {}: there is no such stock kernel; the nearest are "
                                         "{}. {}",
                                         option, wanted, fmt::join(nearest, ", "), kAll)};
    }
    if (named->size() != 1)
        return Error{EINVAL, fmt::format("{} {}: one kernel is wanted, and that are {}: {}.",
                                         option, wanted, named->size(), fmt::join(*named, ", "))};
    return named->front();
}

}  // namespace

Result<BisectRange> bisect_range(const std::string& good, const std::string& bad,
                                 const std::vector<KernelChoice>& choices,
                                 const std::string& flavour) {
    const auto first = end_of_range("--good", good, choices, flavour);
    if (!first) return first.error();
    const auto second = end_of_range("--bad", bad, choices, flavour);
    if (!second) return second.error();
    if (*first == *second)
        return Error{EINVAL, fmt::format("--good and --bad are both {}; with two kernels that "
                                         "differ there is something to narrow down. {}",
                                         *first, kAll)};
    const auto all = wanted_kernels("all", choices, flavour);
    if (!all) return all.error();
    for (const auto& [option, name] : {std::pair{"--good", *first}, std::pair{"--bad", *second}})
        if (std::ranges::find(*all, name) == all->end())
            return Error{EINVAL,
                         fmt::format("{} {}: only stock kernels of the flavour {} count, from {} "
                                     "on. {}",
                                     option, name, flavour, kOldestMatrixKernel, kAll)};
    auto begin = std::ranges::find(*all, *first), end = std::ranges::find(*all, *second);
    BisectRange range;
    if (begin > end) {
        std::swap(begin, end);
        range.oldest = Verdict::kBad;
    }
    range.kernels.assign(begin, end + 1);
    return range;
}

}  // namespace zcrxlab
