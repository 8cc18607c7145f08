// Counts who noticed what, of each function and source.
#include "cli/coverage/noticers.hpp"

#include <algorithm>
#include <functional>

namespace zcrxlab {
namespace {

constexpr size_t kAskedFirst = 8;
// Of a scenario's failure. Most are over in a few; some wait until their time is up.
constexpr double kQuickSeconds = 20;

}  // namespace

void Noticers::remember(const Attempt& attempt) {
    const std::string& test = attempt.verdict.test;
    if (!attempt.verdict.noticed || test.empty()) return;
    std::vector<std::string>& first =
        noticed_[{attempt.source, attempt.function, attempt.verdict.nic}];
    std::erase(first, test);
    first.insert(first.begin(), test);
    if (first.size() > kAskedFirst) first.pop_back();
    Failures& failures = failures_[{attempt.source, attempt.verdict.nic}][test];
    ++failures.count;
    failures.seconds += attempt.verdict.seconds;
}

std::vector<std::string> Noticers::asked_first(
    const Attempt& attempt, const std::string& nic,
    const std::optional<std::set<std::string>>& reaching) const {
    std::vector<std::string> candidates;
    if (const auto same = noticed_.find({attempt.source, attempt.function, nic});
        same != noticed_.end())
        candidates = same->second;
    std::vector<std::pair<size_t, std::string>> others;
    const Place place{attempt.source, nic};
    if (const auto known = failures_.find(place); known != failures_.end())
        for (const auto& [test, failures] : known->second)
            if (std::ranges::find(candidates, test) == candidates.end())
                others.emplace_back(failures.count, test);
    std::ranges::sort(others, std::greater{});
    for (auto& [count, test] : others) candidates.push_back(std::move(test));
    if (reaching)
        std::erase_if(candidates,
                      [&](const std::string& test) { return !reaching->contains(test); });
    std::stable_partition(candidates.begin(), candidates.end(),
                          [&](const std::string& test) { return is_quick(place, test); });
    if (candidates.size() > kAskedFirst) candidates.resize(kAskedFirst);
    return candidates;
}

bool Noticers::is_quick(const Place& place, const std::string& test) const {
    const auto known = failures_.find(place);
    if (known == failures_.end()) return true;
    const auto failures = known->second.find(test);
    return failures == known->second.end() ||
           failures->second.seconds <= kQuickSeconds * static_cast<double>(failures->second.count);
}

}  // namespace zcrxlab
