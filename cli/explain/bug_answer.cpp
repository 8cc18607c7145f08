// Makes text and JSON of fixed bugs and kernels.
#include "cli/explain/bug_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/base/exit_code.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kCommitShown = 12;

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

// "6.17.3, 6.18 and what is newer".
std::string fixed_in(const FixedBug& bug) {
    std::vector<std::string> releases;
    for (const BranchFix& branch : bug.branches)
        if (!branch.fixed.empty()) releases.emplace_back(branch.fixed);
    releases.emplace_back(bug.mainline);
    return joined(releases) + " and what is newer";
}

std::string filter_of(const BugAnswer& answer) {
    if (answer.finding == nullptr) return std::string(answer.bug->asserts);
    return answer.finding->shown_by.empty() ? "" : std::string(answer.finding->shown_by[0].filter);
}

std::string how_to_run(const BugAnswer& answer) {
    const std::string filter = filter_of(answer);
    if (filter.empty()) return "no scenario shows it.";
    const std::string_view options =
        answer.finding == nullptr ? "" : answer.finding->shown_by[0].options;
    return fmt::format("vm/zcrxlab run --filter '{}'{}{} --kernel VERSION", filter,
                       options.empty() ? "" : " ", options);
}

std::string name_with_cve(const FixedBug& bug) {
    return bug.cve.empty() ? std::string(bug.id) : fmt::format("{} ({})", bug.id, bug.cve);
}

std::string name_for_people(const KernelInQuestion& kernel) {
    return kernel.this_machine ? fmt::format("this machine, {}", kernel.name) : kernel.name;
}

// "seen" and so on; empty where no scenario is recorded for the bug.
std::string sighting_on(const BugAnswer& answer, const KernelInQuestion& kernel) {
    if (answer.finding == nullptr || !kernel.release.version) return "not tried";
    return sighting_on(answer.sightings, *kernel.release.version);
}

std::string_view json_word(Standing standing) {
    switch (standing) {
        case Standing::kAffected:
            return "affected";
        case Standing::kFixed:
            return "fixed";
        case Standing::kNeverHad:
            return "never_had";
        case Standing::kNotKnown:
            break;
    }
    return "not_known";
}

nlohmann::json texts_of(const std::vector<Version>& versions) {
    nlohmann::json list = nlohmann::json::array();
    for (const Version& version : versions) list.push_back(version.text());
    return list;
}

nlohmann::json json_of(const BugAnswer& answer, std::span<const KernelInQuestion> kernels) {
    const FixedBug& bug = *answer.bug;
    nlohmann::json branches = nlohmann::json::array();
    for (const BranchFix& branch : bug.branches)
        branches.push_back({{"fixed", branch.fixed}, {"had", branch.had}});
    nlohmann::json about = nlohmann::json::array();
    for (const KernelInQuestion& kernel : kernels) {
        const BugStanding found = standing_of(bug, kernel.release);
        about.push_back({{"kernel", kernel.name},
                         {"this_machine", kernel.this_machine},
                         {"asked", kernel.asked},
                         {"standing", json_word(found.standing)},
                         {"because", found.because},
                         {"runs", sighting_on(answer, kernel)}});
    }
    return {{"id", bug.id},
            {"cve", bug.cve},
            {"commit", bug.commit},
            {"title", bug.title},
            {"user_sees", bug.user_sees},
            {"driver", bug.driver},
            {"since", bug.since},
            {"branches", std::move(branches)},
            {"mainline", bug.mainline},
            {"complete", bug.complete},
            {"source", bug.source},
            {"scenarios", filter_of(answer)},
            {"mutation", bug.mutation},
            {"seen_on", texts_of(answer.sightings.seen)},
            {"not_seen_on", texts_of(answer.sightings.not_seen)},
            {"kernels", std::move(about)}};
}

}  // namespace

BugAnswer answer_about(const FixedBug& bug, std::span<const Finding> findings,
                       std::span<const Matrix> matrices) {
    BugAnswer answer{&bug, nullptr, {}};
    const auto found = std::ranges::find(findings, bug.finding, &Finding::id);
    if (bug.finding.empty() || found == findings.end()) return answer;
    answer.finding = &*found;
    answer.sightings = sightings_of(*found, matrices);
    return answer;
}

std::string bug_text(const BugAnswer& answer, std::span<const KernelInQuestion> kernels) {
    const FixedBug& bug = *answer.bug;
    std::string text = fmt::format("{}\n", name_with_cve(bug));
    text += fmt::format("  What is seen: {}.\n", bug.user_sees);
    text += fmt::format("  The fix:      {}{}{}\n", bug.commit.substr(0, kCommitShown),
                        bug.commit.empty() ? "" : " ", bug.title);
    text += fmt::format("  Fixed in:     {}\n", fixed_in(bug));
    text += fmt::format("  Since:        {}\n", bug.since.empty() ? "not known" : bug.since);
    text += fmt::format("  Versions by:  {}.\n", bug.source);
    text += fmt::format("  Shown by:     {}\n", how_to_run(answer));
    if (!bug.mutation.empty())
        text += fmt::format("                tests/kernel_mutations/{}.patch does the same\n",
                            bug.mutation);
    text += fmt::format("  Runs:         {}\n\n", sightings_text(answer.sightings));
    size_t width = 0;
    for (const KernelInQuestion& kernel : kernels)
        width = std::max(width, name_for_people(kernel).size());
    for (const KernelInQuestion& kernel : kernels) {
        const BugStanding found = standing_of(bug, kernel.release);
        text += fmt::format("  {:<{}}  {:<12}  {:<9}  {}\n", name_for_people(kernel), width,
                            name_of(found.standing), sighting_on(answer, kernel), found.because);
    }
    return text;
}

std::string bugs_text(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels,
                      size_t embargoed) {
    size_t width = 0;
    for (const BugAnswer& answer : answers)
        width = std::max(width, name_with_cve(*answer.bug).size());
    std::string text;
    for (const KernelInQuestion& kernel : kernels) {
        if (!kernel.asked) continue;
        size_t affected = 0;
        text += fmt::format("{}{}\n", text.empty() ? "" : "\n", name_for_people(kernel));
        for (const BugAnswer& answer : answers) {
            const BugStanding found = standing_of(*answer.bug, kernel.release);
            affected += found.standing == Standing::kAffected ? 1 : 0;
            text += fmt::format("  {:<12}  {:<{}}  {}\n", name_of(found.standing),
                                name_with_cve(*answer.bug), width, found.because);
        }
        text += fmt::format("  It has {} of {} fixed bugs.\n", affected, answers.size());
    }
    text += fmt::format("\nEmbargoed findings, of which nothing is told: {}.\n", embargoed);
    return text;
}

std::string bugs_json(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels,
                      size_t embargoed) {
    nlohmann::json bugs = nlohmann::json::array();
    for (const BugAnswer& answer : answers) bugs.push_back(json_of(answer, kernels));
    // A kernel's name may be any bytes.
    return nlohmann::json{{"bugs", std::move(bugs)}, {"embargoed", embargoed}}.dump(
               2, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
}

int bugs_exit_code(std::span<const BugAnswer> answers, std::span<const KernelInQuestion> kernels) {
    int code = kExitPassed;
    for (const KernelInQuestion& kernel : kernels) {
        if (!kernel.asked) continue;
        for (const BugAnswer& answer : answers) {
            const Standing standing = standing_of(*answer.bug, kernel.release).standing;
            if (standing == Standing::kAffected) return kExitFailed;
            if (standing == Standing::kNotKnown) code = kExitSkipped;
        }
    }
    return code;
}

}  // namespace zcrxlab
