// Holds a version against what is known of its branch, and of mainline.
#include "kernels/bugs/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace zcrxlab {

namespace {

// The release in which zero-copy receive came.
constexpr std::string_view kFeature = "6.15";

Version version_of(std::string_view text) {
    return Version::parse(text).value_or(Version{});
}

std::array<unsigned, 2> branch_of(const Version& version) {
    std::array<unsigned, 2> branch{};
    for (size_t i = 0; i < branch.size() && i < version.numbers.size(); ++i)
        branch[i] = version.numbers[i];
    return branch;
}

std::string branch_name(const Version& version) {
    const auto branch = branch_of(version);
    return fmt::format("{}.{}", branch[0], branch[1]);
}

// 5.19 was followed by 6.0, and 6.19 by 7.0.
bool is_a_branch(const Version& version) {
    constexpr unsigned kLastOfOlder = 19;
    const auto [major, minor] = branch_of(version);
    return major >= 7 || ((major == 5 || major == 6) && minor <= kLastOfOlder);
}

// 7.3 of 7.3-rc7.
Version release_of(Version version) {
    version.candidate.reset();
    return version;
}

bool is_older_than_the_bug(const FixedBug& bug, const Version& version) {
    if (!bug.since.empty()) return release_of(version) < version_of(bug.since);
    return bug.driver.empty() && release_of(version) < version_of(kFeature);
}

BugStanding standing_in_branch(const BranchFix& branch, const Version& version) {
    const Version fixed = version_of(branch.fixed);
    if (!branch.fixed.empty() && version >= fixed)
        return {Standing::kFixed, fmt::format("fixed in {}", branch.fixed)};
    if (branch.had.empty()) return {Standing::kAffected, fmt::format("fixed in {}", branch.fixed)};
    if (version <= version_of(branch.had))
        return {Standing::kAffected, branch.fixed.empty() ? fmt::format("{} has it", branch.had)
                                                          : fmt::format("{} has it, {} has not",
                                                                        branch.had, branch.fixed)};
    return {Standing::kNotKnown,
            branch.fixed.empty()
                ? fmt::format("{} has it; what is newer was not looked at", branch.had)
                : fmt::format("{} has it, {} has not; what lies between was not looked at",
                              branch.had, branch.fixed)};
}

}  // namespace

std::string_view name_of(Standing standing) {
    switch (standing) {
        case Standing::kAffected:
            return "affected";
        case Standing::kFixed:
            return "fixed";
        case Standing::kNeverHad:
            return "never had it";
        case Standing::kNotKnown:
            break;
    }
    return "not known";
}

BugStanding standing_of(const FixedBug& bug, const Version& version) {
    if (!is_a_branch(version))
        return {Standing::kNotKnown, fmt::format("no branch {}.y is known", branch_name(version))};
    if (is_older_than_the_bug(bug, version))
        return {Standing::kNeverHad,
                fmt::format("it came in {}", bug.since.empty() ? kFeature : bug.since)};
    const auto same = std::ranges::find_if(bug.branches, [&](const BranchFix& branch) {
        return branch_of(version_of(branch.fixed.empty() ? branch.had : branch.fixed)) ==
               branch_of(version);
    });
    if (same != bug.branches.end()) return standing_in_branch(*same, version);

    const Version mainline = version_of(bug.mainline);
    if (version >= mainline) return {Standing::kFixed, fmt::format("fixed in {}", bug.mainline)};
    if (version.candidate && release_of(version) == mainline)
        return {Standing::kNotKnown,
                fmt::format("{} has the fix; since which candidate is not known", bug.mainline)};
    if (bug.complete)
        return {Standing::kAffected,
                fmt::format("no release of {}.y with the fix is known", branch_name(version))};
    return {Standing::kNotKnown,
            fmt::format("whether {}.y got the fix is not known", branch_name(version))};
}

BugStanding standing_of(const FixedBug& bug, const StatedRelease& release) {
    if (release.version) return standing_of(bug, *release.version);
    std::string because = release.why_not;
    if (because.ends_with('.')) because.pop_back();
    return {Standing::kNotKnown, std::move(because)};
}

}  // namespace zcrxlab
