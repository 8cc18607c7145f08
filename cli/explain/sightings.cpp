// Reads the releases out of a finding and out of matrices.
#include "cli/explain/sightings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/report/report.hpp"
#include "kernels/bugs/stated_release.hpp"

namespace zcrxlab {

namespace {

// Of "6.18.5, 7.3-rc7 (not in every run), gve".
void add_releases(std::string_view text, std::vector<Version>& releases) {
    while (!text.empty()) {
        if (auto version = Version::parse(text); version && version->numbers.size() > 1)
            releases.push_back(*std::move(version));
        const size_t comma = text.find(", ");
        if (comma == std::string_view::npos) return;
        text.remove_prefix(comma + 2);
    }
}

bool is_shown_by(const Finding& finding, const std::string& test) {
    for (const Rule& rule : finding.rules)
        if (std::ranges::find(rule.tests, test) != rule.tests.end()) return true;
    return false;
}

// "Known issue burst-then-silence: ...": one of the finding's rules.
bool names_finding(const Finding& finding, std::string_view message) {
    const auto is_named = [&](std::string_view id) {
        return message.find(fmt::format("Known issue {}:", id.empty() ? finding.id : id)) !=
               std::string_view::npos;
    };
    return std::ranges::any_of(finding.rules, is_named, &Rule::id);
}

void add_run(const Finding& finding, const MatrixRun& run, Sightings& sightings) {
    const StatedRelease release =
        stated_release(run.results.kernel.empty() ? run.kernel : run.results.kernel, "");
    if (!release.version) return;
    for (const TestResult& test : run.results.tests) {
        if (!is_shown_by(finding, test.name)) continue;
        if (test.status == TestStatus::kPassed)
            sightings.not_seen.push_back(*release.version);
        else if (test.status == TestStatus::kKnown && names_finding(finding, test.message))
            sightings.seen.push_back(*release.version);
    }
}

void sort_once(std::vector<Version>& versions) {
    std::ranges::sort(versions);
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
}

bool has(const std::vector<Version>& versions, const Version& version) {
    return std::ranges::find(versions, version) != versions.end();
}

std::string joined(const std::vector<Version>& versions) {
    std::string text;
    for (const Version& version : versions) {
        if (!text.empty()) text += ", ";
        text += version.text();
    }
    return text;
}

}  // namespace

Sightings sightings_of(const Finding& finding, std::span<const Matrix> matrices) {
    Sightings sightings;
    add_releases(finding.seen_on, sightings.seen);
    add_releases(finding.not_on, sightings.not_seen);
    for (const Rule& rule : finding.rules) add_releases(rule.seen_on, sightings.seen);
    for (const Matrix& matrix : matrices)
        for (const MatrixRun& run : matrix.runs) add_run(finding, run, sightings);
    sort_once(sightings.seen);
    sort_once(sightings.not_seen);
    std::erase_if(sightings.not_seen,
                  [&](const Version& version) { return has(sightings.seen, version); });
    return sightings;
}

std::string sighting_on(const Sightings& sightings, const Version& version) {
    if (has(sightings.seen, version)) return "seen";
    return has(sightings.not_seen, version) ? "not seen" : "not tried";
}

std::string sightings_text(const Sightings& sightings) {
    if (sightings.seen.empty() && sightings.not_seen.empty()) return "Not tried.";
    if (sightings.not_seen.empty()) return fmt::format("Seen on {}.", joined(sightings.seen));
    if (sightings.seen.empty()) return fmt::format("Not seen on {}.", joined(sightings.not_seen));
    return fmt::format("Seen on {}; not seen on {}.", joined(sightings.seen),
                       joined(sightings.not_seen));
}

}  // namespace zcrxlab
