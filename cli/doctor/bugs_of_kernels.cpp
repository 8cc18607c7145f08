// Holds each kernel against each fixed bug, and joins kernels that have the same ones.
#include "cli/doctor/bugs_of_kernels.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "cli/explain/sightings.hpp"
#include "kernels/bugs/standing.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

namespace {

struct BugsOfAKernel {
    std::vector<const FixedBug*> affected, not_known;
    bool operator==(const BugsOfAKernel&) const = default;
};

// Kernels that have the same bugs.
struct Group {
    BugsOfAKernel bugs;
    std::vector<const ExaminedKernel*> kernels;
};

BugsOfAKernel bugs_of(std::span<const FixedBug> bugs, const ExaminedKernel& kernel) {
    BugsOfAKernel found;
    for (const FixedBug* bug : told_bugs(bugs)) {
        const Standing standing = standing_of(*bug, kernel.release).standing;
        if (standing == Standing::kAffected) found.affected.push_back(bug);
        if (standing == Standing::kNotKnown) found.not_known.push_back(bug);
    }
    return found;
}

std::string ids_of(const std::vector<const FixedBug*>& bugs) {
    std::vector<std::string_view> ids;
    for (const FixedBug* bug : bugs) ids.push_back(bug->id);
    return fmt::format("{}", fmt::join(ids, ", "));
}

std::string names_of(const std::vector<const ExaminedKernel*>& kernels) {
    std::vector<std::string_view> names;
    for (const ExaminedKernel* kernel : kernels) names.push_back(kernel->name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// The bugs of the group of which runs say `what` ("seen", "not seen"), each with the kernels:
// "a-stall (6.18.5, 6.18.9)". Empty if there are none.
std::string tried_on(const Group& group, std::span<const Finding> findings, std::string_view what) {
    std::vector<std::string> bugs;
    for (const FixedBug* bug : group.bugs.affected) {
        const auto finding = std::ranges::find(findings, bug->finding, &Finding::id);
        if (bug->finding.empty() || finding == findings.end()) continue;
        const Sightings sightings = sightings_of(*finding, {});
        std::vector<const ExaminedKernel*> kernels;
        for (const ExaminedKernel* kernel : group.kernels)
            if (sighting_on(sightings, *kernel->release.version) == what) kernels.push_back(kernel);
        if (!kernels.empty()) bugs.push_back(fmt::format("{} ({})", bug->id, names_of(kernels)));
    }
    return fmt::format("{}", fmt::join(bugs, ", "));
}

Diagnosis diagnosis_of(const std::string& who, const Group& group,
                       std::span<const Finding> findings, size_t all) {
    const BugsOfAKernel& found = group.bugs;
    std::string sentence =
        found.affected.empty()
            ? fmt::format("{}: none of {} fixed bugs of zero-copy receive", who, all)
            : fmt::format("{}: {} of {} fixed bugs of zero-copy receive: {}", who,
                          found.affected.size(), all, ids_of(found.affected));
    if (!found.not_known.empty())
        sentence += fmt::format("; not known of {}", ids_of(found.not_known));
    if (found == BugsOfAKernel{}) return {Diagnosis::Health::kGood, std::move(sentence), ""};
    for (const std::string_view what : {"seen", "not seen"})
        if (const std::string bugs = tried_on(group, findings, what); !bugs.empty())
            sentence += fmt::format("; {} by runs: {}", what, bugs);
    const FixedBug& first =
        found.affected.empty() ? *found.not_known.front() : *found.affected.front();
    return {Diagnosis::Health::kNote, std::move(sentence),
            fmt::format("vm/zcrxlab explain {}", first.id)};
}

}  // namespace

std::vector<Diagnosis> examine_bugs(std::span<const FixedBug> bugs,
                                    std::span<const Finding> findings,
                                    const ExaminedKernel& this_machine,
                                    std::span<const ExaminedKernel> others) {
    const size_t all = told_bugs(bugs).size();
    std::vector<Diagnosis> diagnoses;
    if (this_machine.release.version)
        diagnoses.push_back(diagnosis_of(fmt::format("this machine's kernel {}", this_machine.name),
                                         {bugs_of(bugs, this_machine), {&this_machine}}, findings,
                                         all));
    else
        diagnoses.push_back({Diagnosis::Health::kNote,
                             fmt::format("which fixed bugs of zero-copy receive this machine's "
                                         "kernel {} has is not known",
                                         this_machine.name),
                             "Name the release that it is made of: vm/zcrxlab explain bugs "
                             "--kernel VERSION"});
    std::vector<Group> groups;
    for (const ExaminedKernel& kernel : others) {
        const BugsOfAKernel found = bugs_of(bugs, kernel);
        const auto same = std::ranges::find(groups, found, &Group::bugs);
        if (same == groups.end())
            groups.push_back({found, {&kernel}});
        else
            same->kernels.push_back(&kernel);
    }
    for (const Group& group : groups)
        diagnoses.push_back(
            diagnosis_of("--kernel " + names_of(group.kernels), group, findings, all));
    return diagnoses;
}

std::vector<Diagnosis> examine_bugs_of_known_kernels() {
    utsname host{};
    ::uname(&host);
    const ExaminedKernel this_machine{host.release, stated_release(host.release, host.version)};
    std::vector<ExaminedKernel> others;
    // That there are none to be had is told elsewhere.
    if (const auto known = known_kernels()) {
        for (const KernelChoice& choice : *known) {
            ExaminedKernel kernel{choice.version, stated_release(choice.version, "")};
            if (!kernel.release.version) continue;
            // Another flavour of the same release is the same source.
            kernel.name = kernel.release.version->text();
            if (std::ranges::find(others, kernel.name, &ExaminedKernel::name) == others.end())
                others.push_back(std::move(kernel));
        }
    }
    return examine_bugs(fixed_bugs(), findings(), this_machine, others);
}

}  // namespace zcrxlab
