// Of an embargoed finding, what is passed on says only that there is one.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "scenarios/known_issues/embargo.hpp"

namespace zcrxlab {
namespace {

Finding secret() {
    Finding finding;
    finding.id = "reads-wild";
    finding.happens = "a read goes wild";
    finding.source = "net/core/x.c:x_sum from x_receive";
    finding.seen_on = "7.3.4";
    finding.shown_by = {{.filter = "alone.wild"}, {.filter = "wild.table/*"}};
    finding.embargoed = true;
    return finding;
}

constexpr const char* kConsole =
    "BUG: unable to handle page fault\nRIP: 0010:x_sum+0x1/0x2\n x_receive+0x3/0x4 [x]\n";

TEST(Embargo, TellsWhatNamesAllFunctionsOfTheSource) {
    std::array findings{secret()};
    EXPECT_TRUE(tells_of_embargoed(findings, kConsole));
    EXPECT_FALSE(tells_of_embargoed(findings, "RIP: 0010:x_sum+0x1/0x2"));
    EXPECT_FALSE(tells_of_embargoed(findings, "x_summed+0x1 < x_receive+0x2"));
    EXPECT_FALSE(tells_of_embargoed(findings, ""));
    findings[0].embargoed = false;
    EXPECT_FALSE(tells_of_embargoed(findings, kConsole));
    findings[0].source = "not known";
    findings[0].embargoed = true;
    EXPECT_FALSE(tells_of_embargoed(findings, kConsole));
}

TestResult lost(const char* name, Reached reached = Reached::kStart) {
    return {.name = name, .message = "The guest panicked: x", .reached = reached};
}

TEST(Embargo, IsOfWhatItsScenarioLosesAndOfWhatItExplains) {
    const std::array findings{secret()};
    EXPECT_TRUE(is_embargoed(findings, lost("alone.wild")));
    EXPECT_TRUE(is_embargoed(findings, lost("wild.table/x")));
    EXPECT_FALSE(is_embargoed(findings, lost("alone.tame")));
    EXPECT_FALSE(is_embargoed(findings, lost("alone.wild", Reached::kNothing)));
    TestResult result = lost("alone.wild");
    result.status = TestStatus::kFailed;
    EXPECT_FALSE(is_embargoed(findings, result)) << "who broke it has to see what";
    result.reference = std::string(kEmbargoReference);
    EXPECT_TRUE(is_embargoed(findings, result));
}

RunSummary lost_run(const char* test) {
    RunSummary run;
    run.tests = {{.name = "a.b", .status = TestStatus::kFailed, .message = "told"},
                 lost(test),
                 {.name = "c.d", .message = "not started", .reached = Reached::kNothing}};
    run.ending = Ending::kPanicked;
    run.ending_message = "The guest's kernel panicked at x_sum < x_receive";
    run.console = kConsole;
    return run;
}

TEST(Embargo, NoReportSaysHowTheGuestWasLost) {
    const std::array findings{secret()};
    // By its scenario, and by what the console says.
    for (const char* test : {"alone.wild", "actions.0"}) {
        const RunSummary run = fit_to_pass_on(findings, lost_run(test));
        for (const std::string& report : {to_tap(run), to_junit(run), to_json(run)}) {
            for (const char* word : {"x_sum", "x_receive", "page fault", "panicked: x"})
                EXPECT_EQ(report.find(word), report.npos) << report;
            EXPECT_NE(report.find("embargoed"), report.npos) << report;
            EXPECT_NE(report.find("told"), report.npos) << report;
        }
        EXPECT_EQ(run.ending, Ending::kPanicked);
    }
    RunSummary other = lost_run("alone.tame");
    other.console = "BUG: something else";
    other.ending_message = "The guest's kernel panicked.";
    EXPECT_EQ(to_json(fit_to_pass_on(findings, other)), to_json(other));
}

}  // namespace
}  // namespace zcrxlab
