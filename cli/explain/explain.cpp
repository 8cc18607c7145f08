// Asks the scenario program what an errno can mean, or says which kernels have a bug.
#include "cli/explain/explain.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/explain/bug_answer.hpp"
#include "cli/scenario_program.hpp"
#include "harness/base/errno_from.hpp"
#include "harness/base/fail.hpp"
#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/kernel.hpp"
#include "results/matrix/folder.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

namespace {

int explain_errno_by_program(const ExplainOptions& options) {
    if (!options.kernels.empty() || !options.matrices.empty() || options.json)
        return fail(Error{EINVAL, "--kernel, --matrix and --json are of a fixed bug, and \"" +
                                      options.word + "\" is an errno."},
                    kExitUsage);
    std::vector<std::string> words{"--explain", options.word};
    if (!options.operation.empty()) words.insert(words.end(), {"--operation", options.operation});
    if (!options.interface.empty())
        words.insert(words.end(),
                     {"--interface", options.interface, "--queue", std::to_string(options.queue)});
    return become_scenario_program(std::move(words));
}

// The kernels that are asked about, and behind them those that "zcrxlab kernels" lists.
std::vector<KernelInQuestion> kernels_in_question(const std::vector<std::string>& asked) {
    std::vector<KernelInQuestion> kernels;
    for (const std::string& name : asked)
        kernels.push_back({name, stated_release(name, ""), true, false});
    if (asked.empty()) {
        utsname host{};
        ::uname(&host);
        kernels.push_back({host.release, stated_release(host.release, host.version), true, true});
    }
    const auto known = known_kernels();
    if (!known) return kernels;
    for (const KernelChoice& kernel : *known) {
        const StatedRelease release = stated_release(kernel.version, "");
        const bool told = std::ranges::any_of(kernels, [&](const KernelInQuestion& other) {
            return !other.this_machine && other.release.version == release.version;
        });
        // Another flavour of the same release is the same source.
        if (release.version && !told) kernels.push_back({release.version->text(), release});
    }
    return kernels;
}

size_t embargoed_findings() {
    return static_cast<size_t>(std::ranges::count(findings(), true, &Finding::embargoed)) +
           untold_bugs(fixed_bugs());
}

int explain_bugs(const ExplainOptions& options, const std::vector<const FixedBug*>& bugs) {
    if (!options.operation.empty() || !options.interface.empty())
        return fail(Error{EINVAL, "An operation and --interface are of an errno, and \"" +
                                      options.word + "\" is a fixed bug."},
                    kExitUsage);
    std::vector<Matrix> matrices;
    for (const std::string& path : options.matrices) {
        Result<std::vector<Matrix>> found = read_matrices(path, path);
        if (!found) return fail(found.error(), kExitUsage);
        for (Matrix& matrix : *found) matrices.push_back(std::move(matrix));
    }
    std::vector<BugAnswer> answers;
    answers.reserve(bugs.size());
    for (const FixedBug* bug : bugs) answers.push_back(answer_about(*bug, findings(), matrices));
    const std::vector<KernelInQuestion> kernels = kernels_in_question(options.kernels);
    std::string text;
    if (options.json)
        text = bugs_json(answers, kernels, embargoed_findings());
    else if (options.word == kAllBugs)
        text = bugs_text(answers, kernels, embargoed_findings());
    else
        text = bug_text(answers.front(), kernels);
    fmt::print("{}", text);
    return bugs_exit_code(answers, kernels);
}

}  // namespace

int explain_command(const ExplainOptions& options) {
    if (options.word == kAllBugs) return explain_bugs(options, told_bugs(fixed_bugs()));
    if (const FixedBug* bug = find_bug(fixed_bugs(), options.word))
        return explain_bugs(options, {bug});
    return explain_errno_by_program(options);
}

}  // namespace zcrxlab
