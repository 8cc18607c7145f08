// Counts who noticed what, of each function and source.
#include "cli/coverage/noticers.hpp"

#include <algorithm>
#include <functional>

namespace zcrxlab {
namespace {

constexpr size_t kAskedFirst = 8;

}  // namespace

void Noticers::remember(const Attempt& attempt) {
    const std::string& test = attempt.verdict.test;
    if (!attempt.verdict.noticed || test.empty()) return;
    std::vector<std::string>& first =
        noticed_[{attempt.source, attempt.function, attempt.verdict.nic}];
    std::erase(first, test);
    first.insert(first.begin(), test);
    if (first.size() > kAskedFirst) first.pop_back();
    ++times_[{attempt.source, attempt.verdict.nic}][test];
}

std::vector<std::string> Noticers::asked_first(
    const Attempt& attempt, const std::string& nic,
    const std::optional<std::set<std::string>>& reaching) const {
    std::vector<std::string> candidates;
    if (const auto same = noticed_.find({attempt.source, attempt.function, nic});
        same != noticed_.end())
        candidates = same->second;
    std::vector<std::pair<size_t, std::string>> others;
    if (const auto times = times_.find({attempt.source, nic}); times != times_.end())
        for (const auto& [test, count] : times->second)
            if (std::ranges::find(candidates, test) == candidates.end())
                others.emplace_back(count, test);
    std::ranges::sort(others, std::greater{});
    for (auto& [count, test] : others) candidates.push_back(std::move(test));
    if (reaching)
        std::erase_if(candidates,
                      [&](const std::string& test) { return !reaching->contains(test); });
    if (candidates.size() > kAskedFirst) candidates.resize(kAskedFirst);
    return candidates;
}

}  // namespace zcrxlab
