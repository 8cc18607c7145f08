// What runs have seen of a bug: from findings and matrices, never from versions.
#include "cli/explain/sightings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/bugs/standing.hpp"

namespace zcrxlab {
namespace {

Finding a_finding() {
    Finding finding{.id = "stall",
                    .happens = "h",
                    .source = "s",
                    .seen_on = "6.18.15, 6.18.5, gve",
                    .not_on = "7.2.12",
                    .shown_by = {}};
    finding.rules = {{.tests = {"a.b/1"}, .symptom = {}},
                     {.id = "other-stall",
                      .seen_on = "7.3-rc7 (not in every run)",
                      .tests = {"a.c"},
                      .symptom = {}}};
    return finding;
}

Matrix a_matrix(std::string kernel, std::vector<TestResult> tests) {
    Matrix matrix;
    matrix.runs.push_back({.kernel = "7.2", .nic = "gve", .state = RunState::kRan});
    matrix.runs.back().results.kernel = std::move(kernel);
    matrix.runs.back().results.tests = std::move(tests);
    return matrix;
}

TEST(Sightings, AreThoseThatAFindingRecords) {
    const Sightings sightings = sightings_of(a_finding(), {});
    EXPECT_EQ(sightings_text(sightings), "Seen on 6.18.5, 6.18.15, 7.3-rc7; not seen on 7.2.12.");
    EXPECT_EQ(sighting_on(sightings, Version{{6, 18, 15}, {}}), "seen");
    EXPECT_EQ(sighting_on(sightings, Version{{7, 2, 12}, {}}), "not seen");
    // It lies between two on which it was seen, and was not tried.
    EXPECT_EQ(sighting_on(sightings, Version{{6, 18, 9}, {}}), "not tried");
    EXPECT_EQ(sightings_text({}), "Not tried.");
}

TEST(Sightings, OfAMatrixAreWhatItsScenariosHaveShown) {
    const std::vector<Matrix> matrices = {
        a_matrix("7.2.6+deb13-cloud-amd64", {{.name = "a.b/1",
                                              .status = TestStatus::kKnown,
                                              .message = "Known issue stall: it stalls"}}),
        a_matrix("7.2.9+deb13-cloud-amd64", {{.name = "a.c",
                                              .status = TestStatus::kKnown,
                                              .message = "Known issue other-stall: it stalls"}}),
        a_matrix("7.2.10+deb13-cloud-amd64", {{.name = "a.b/1", .status = TestStatus::kPassed}}),
        // None of these says anything of it.
        a_matrix("7.1.1", {{.name = "a.b/1",
                            .status = TestStatus::kKnown,
                            .message = "Known issue another: it leaks"}}),
        a_matrix("7.1.2", {{.name = "a.b/1", .status = TestStatus::kSkipped}}),
        a_matrix("7.1.3", {{.name = "a.b/1", .status = TestStatus::kFailed}}),
        a_matrix("7.1.4", {{.name = "x.y", .status = TestStatus::kPassed}}),
        a_matrix("7.1.5-mine", {{.name = "a.b/1", .status = TestStatus::kPassed}}),
    };
    EXPECT_EQ(sightings_text(sightings_of(a_finding(), matrices)),
              "Seen on 6.18.5, 6.18.15, 7.2.6, 7.2.9, 7.3-rc7; not seen on 7.2.10, 7.2.12.");
}

TEST(Sightings, SeenOnceIsSeen) {
    const std::vector<Matrix> matrices = {
        a_matrix("7.2.12", {{.name = "a.c",
                             .status = TestStatus::kKnown,
                             .message = "Known issue other-stall: by chance"}})};
    EXPECT_EQ(sighting_on(sightings_of(a_finding(), matrices), Version{{7, 2, 12}, {}}), "seen");
}

// What runs have seen must not speak against what the sources tell.
TEST(Sightings, AgreeWithTheVersionsOfFixedBugs) {
    size_t compared = 0;
    for (const FixedBug& bug : fixed_bugs()) {
        if (bug.finding.empty()) continue;
        SCOPED_TRACE(bug.id);
        EXPECT_EQ(bug.id, bug.finding);
        const auto finding = std::ranges::find(findings(), bug.finding, &Finding::id);
        ASSERT_NE(finding, findings().end());
        EXPECT_EQ(bug.embargoed, finding->embargoed);
        const Sightings sightings = sightings_of(*finding, {});
        for (const Version& version : sightings.seen)
            EXPECT_EQ(standing_of(bug, version).standing, Standing::kAffected) << version.text();
        for (const Version& version : sightings.not_seen)
            EXPECT_EQ(standing_of(bug, version).standing, Standing::kFixed) << version.text();
        compared += sightings.seen.size() + sightings.not_seen.size();
    }
    EXPECT_GE(compared, 20u);
}

}  // namespace
}  // namespace zcrxlab
