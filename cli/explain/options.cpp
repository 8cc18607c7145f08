// How the options of "zcrxlab explain" are written on the command line.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/explain/explain.hpp"
#include "cli/nearest.hpp"
#include "cli/values.hpp"
#include "harness/base/errno_from.hpp"
#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/packages/version.hpp"

namespace zcrxlab {

namespace {

// The one next to a word that names none, by its CVE or by its name.
std::string did_you_mean_bug(const std::string& word) {
    std::vector<std::string> names{kAllBugs};
    for (const FixedBug* bug : told_bugs(fixed_bugs())) {
        names.emplace_back(bug->id);
        if (!bug->cve.empty()) names.emplace_back(bug->cve);
    }
    return did_you_mean(word, names);
}

std::string word_refusal(const std::string& value) {
    if (value == kAllBugs || errno_from(value) || find_bug(fixed_bugs(), value) != nullptr)
        return {};
    const bool is_cve = value.starts_with("CVE-") || value.starts_with("cve-");
    if (is_cve)
        return "No fixed bug of zero-copy receive with the name \"" + value + "\" is known" +
               did_you_mean_bug(value) + " \"zcrxlab explain bugs\" lists them.";
    const std::string nearest_bug = did_you_mean_bug(value);
    if (nearest_bug != ".") return "\"" + value + "\" is no errno and no fixed bug" + nearest_bug;
    return "\"" + value +
           "\" is no errno and no fixed bug; like this: EEXIST, 17, -17, CVE-2025-40046, bugs.";
}

std::string release_refusal(const std::string& value) {
    const auto version = Version::parse(value);
    if (version && version->numbers.size() > 1) return {};
    return "\"" + value + "\" is no version of a kernel; like this: 7.3.4, 7.3-rc7, " +
           "7.3.4+deb13-cloud-amd64, 6.12.57-1.";
}

}  // namespace

void add_explain_options(CLI::App& app, ExplainOptions& options) {
    app.add_option("word", options.word,
                   "EEXIST, 17 or -17; or a fixed bug by its CVE, commit or name; or bugs")
        ->check(word_refusal)
        ->required()
        ->group("");
    app.add_option("operation", options.operation,
                   "register, import, submit, receive, control or ethtool; default: all")
        ->check(one_of({"register", "import", "submit", "receive", "control", "ethtool"}))
        ->group("");
    const char* of_errno = "OF AN ERRNO";
    app.add_option("--interface", options.interface, "Look at this interface of this machine, too")
        ->check(interface_of_this_machine())
        ->type_name("IF")
        ->group(of_errno);
    app.add_option("--queue", options.queue, "... and at this receive queue of it")
        ->check(whole_number(0, 65535))
        ->type_name("N")
        ->capture_default_str()
        ->group(of_errno);
    const char* of_bug = "OF A FIXED BUG";
    app.add_option("--kernel", options.kernels,
                   "Ask about this release, which need not be here; default: this machine's")
        ->check(release_refusal)
        ->type_name("VERSION")
        ->allow_extra_args(false)
        ->group(of_bug);
    app.add_option("--matrix", options.matrices,
                   "What has been seen in these results of \"zcrxlab matrix\", too")
        ->check(path_that_is_there())
        ->type_name("PATH")
        ->allow_extra_args(false)
        ->group(of_bug);
    app.add_flag("--json", options.json, "As JSON")->group(of_bug);
    app.footer(
        " ERRNO [register|import|submit|receive|control|ethtool] | CVE | COMMIT | BUG | bugs");
}

}  // namespace zcrxlab
