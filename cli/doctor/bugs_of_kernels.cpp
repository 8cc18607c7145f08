// Holds each kernel against each fixed bug, and joins kernels that have the same ones.
#include "cli/doctor/bugs_of_kernels.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "kernels/bugs/standing.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

namespace {

struct BugsOfAKernel {
    std::vector<std::string> affected, not_known;  // ids
    bool operator==(const BugsOfAKernel&) const = default;
};

BugsOfAKernel bugs_of(std::span<const FixedBug> bugs, const ExaminedKernel& kernel) {
    BugsOfAKernel found;
    for (const FixedBug* bug : told_bugs(bugs)) {
        const Standing standing = standing_of(*bug, kernel.release).standing;
        if (standing == Standing::kAffected) found.affected.emplace_back(bug->id);
        if (standing == Standing::kNotKnown) found.not_known.emplace_back(bug->id);
    }
    return found;
}

Diagnosis diagnosis_of(const std::string& who, const BugsOfAKernel& found, size_t all) {
    std::string sentence =
        found.affected.empty()
            ? fmt::format("{}: none of {} fixed bugs of zero-copy receive", who, all)
            : fmt::format("{}: {} of {} fixed bugs of zero-copy receive: {}", who,
                          found.affected.size(), all, fmt::join(found.affected, ", "));
    if (!found.not_known.empty())
        sentence += fmt::format("; not known of {}", fmt::join(found.not_known, ", "));
    if (found == BugsOfAKernel{}) return {Diagnosis::Health::kGood, std::move(sentence), ""};
    const std::string& first =
        found.affected.empty() ? found.not_known.front() : found.affected.front();
    return {Diagnosis::Health::kNote, std::move(sentence),
            fmt::format("vm/zcrxlab explain {}", first)};
}

}  // namespace

std::vector<Diagnosis> examine_bugs(std::span<const FixedBug> bugs,
                                    const ExaminedKernel& this_machine,
                                    std::span<const ExaminedKernel> others) {
    const size_t all = told_bugs(bugs).size();
    std::vector<Diagnosis> diagnoses;
    if (this_machine.release.version)
        diagnoses.push_back(diagnosis_of(fmt::format("this machine's kernel {}", this_machine.name),
                                         bugs_of(bugs, this_machine), all));
    else
        diagnoses.push_back({Diagnosis::Health::kNote,
                             fmt::format("which fixed bugs of zero-copy receive this machine's "
                                         "kernel {} has is not known",
                                         this_machine.name),
                             "Name the release that it is made of: vm/zcrxlab explain bugs "
                             "--kernel VERSION"});
    struct Group {
        BugsOfAKernel bugs;
        std::string names;
    };
    std::vector<Group> groups;
    for (const ExaminedKernel& kernel : others) {
        const BugsOfAKernel found = bugs_of(bugs, kernel);
        const auto same = std::ranges::find(groups, found, &Group::bugs);
        if (same == groups.end())
            groups.push_back({found, kernel.name});
        else
            same->names += ", " + kernel.name;
    }
    for (const Group& group : groups)
        diagnoses.push_back(diagnosis_of("--kernel " + group.names, group.bugs, all));
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
    return examine_bugs(fixed_bugs(), this_machine, others);
}

}  // namespace zcrxlab
