// What is told of a fixed bug, and the exit code.
#include "cli/explain/bug_answer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {
namespace {

bool says(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

KernelInQuestion asked(std::string name) {
    return {name, stated_release(name, ""), true, false};
}

BugAnswer answer_about(std::string_view word) {
    const FixedBug* bug = find_bug(fixed_bugs(), word);
    EXPECT_NE(bug, nullptr) << word;
    return answer_about(*bug, findings(), {});
}

int code_of(std::vector<KernelInQuestion> kernels) {
    const std::vector<BugAnswer> answers{answer_about("CVE-2026-43121")};
    return bugs_exit_code(answers, kernels);
}

TEST(BugAnswer, ExitCodesAreAboutTheKernelsThatAreAsked) {
    EXPECT_EQ(code_of({asked("6.18.16")}), 0);
    EXPECT_EQ(code_of({asked("6.1.140")}), 0);
    EXPECT_EQ(code_of({asked("6.18.15")}), 1);
    EXPECT_EQ(code_of({asked("6.17.0-8-generic")}), 4);
    // Affected outweighs not known, in any order; what is not asked does not count.
    EXPECT_EQ(code_of({asked("6.17.0-8-generic"), asked("6.18.15")}), 1);
    EXPECT_EQ(code_of({asked("6.18.15"), asked("6.17.0-8-generic")}), 1);
    KernelInQuestion listed = asked("6.18.15");
    listed.asked = false;
    EXPECT_EQ(code_of({asked("6.18.16"), listed}), 0);
}

TEST(BugAnswer, ForPeople) {
    const std::string text =
        bug_text(answer_about("burst-then-silence"),
                 std::vector<KernelInQuestion>{asked("7.2.9"), asked("7.2.10"), asked("7.2.12")});
    EXPECT_TRUE(says(text, "98ad5b63f504 io_uring/zcrx: requeue multishot")) << text;
    EXPECT_TRUE(says(text, "run --filter 'cqe32.burst_then_silence/8_entries'")) << text;
    EXPECT_TRUE(says(text, "missed-wake-up.patch does the same")) << text;
    EXPECT_TRUE(says(text, "7.2.9   affected      seen       fixed in 7.2.10\n")) << text;
    EXPECT_TRUE(says(text, "7.2.10  fixed         not tried  fixed in 7.2.10\n")) << text;
    EXPECT_TRUE(says(text, "7.2.12  fixed         not seen   fixed in 7.2.10\n")) << text;
}

TEST(BugAnswer, WithoutAScenarioItIsNotTried) {
    const std::string text =
        bug_text(answer_about("CVE-2026-45995"), std::vector<KernelInQuestion>{asked("7.0.3")});
    EXPECT_TRUE(says(text, "Shown by:     no scenario shows it.\n")) << text;
    EXPECT_TRUE(says(text, "Runs:         Not tried.\n")) << text;
    EXPECT_TRUE(says(text, "7.0.3  affected      not tried  fixed in 7.0.4\n")) << text;
}

TEST(BugAnswer, AsJson) {
    const std::vector<BugAnswer> answers{answer_about("CVE-2025-40046")};
    const auto json = nlohmann::json::parse(
        bugs_json(answers, std::vector<KernelInQuestion>{asked("6.17.2"), asked("5.4.1\xff")}, 3));
    EXPECT_EQ(json["embargoed"], 3);
    ASSERT_EQ(json["bugs"].size(), 1u);
    const auto& bug = json["bugs"][0];
    EXPECT_EQ(bug["cve"], "CVE-2025-40046");
    EXPECT_EQ(bug["branches"][0]["fixed"], "6.17.3");
    EXPECT_EQ(bug["kernels"][0]["standing"], "affected");
    EXPECT_EQ(bug["kernels"][0]["runs"], "not tried");
    EXPECT_EQ(bug["kernels"][0]["asked"], true);
    EXPECT_EQ(bug["kernels"][1]["standing"], "not_known");
}

TEST(BugAnswer, OfEmbargoedFindingsOnlyTheNumberIsTold) {
    std::vector<BugAnswer> answers;
    for (const FixedBug* bug : told_bugs(fixed_bugs()))
        answers.push_back(answer_about(*bug, findings(), {}));
    const std::vector<KernelInQuestion> kernels{asked("6.18.15")};
    const std::string all = bugs_text(answers, kernels, 4) + bugs_json(answers, kernels, 4);
    EXPECT_TRUE(says(all, "Embargoed findings, of which nothing is told: 4.\n"));
    for (const Finding& finding : findings()) {
        if (finding.embargoed) {
            EXPECT_FALSE(says(all, finding.id)) << finding.id;
        }
    }
}

}  // namespace
}  // namespace zcrxlab
