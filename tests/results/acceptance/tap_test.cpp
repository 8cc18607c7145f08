#include "results/acceptance/tap.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

// "a.b ok; a.c not-ok" of all results.
std::string results_in(std::string_view output, int exit_code) {
    std::string text;
    for (const TapResult& result : read_tap(output, exit_code)) {
        text += text.empty() ? "" : "; ";
        text += result.test + " " + std::string(name_of(result.outcome));
    }
    return text;
}

TEST(Tap, OfAPythonScriptIsRead) {
    const auto results = read_tap(
        "# Interface: eth0, driver: gve\n"
        "TAP version 13\n"
        "1..3\n"
        "ok 1 stats.check_pause # SKIP pause not supported by the device\n"
        "ok 2 stats.pkt_byte_sum\n"
        "# Check failed 3 != 4 \n"
        "not ok 3 stats.check_down\n"
        "# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:0\n",
        1);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[0].test, "stats.check_pause");
    EXPECT_EQ(results[0].outcome, TapOutcome::kSkip);
    EXPECT_EQ(results[0].said.substr(0, results[0].said.find('\n')),
              "pause not supported by the device");
    EXPECT_EQ(results[1].outcome, TapOutcome::kOk);
    EXPECT_EQ(results[2].outcome, TapOutcome::kNotOk);
    EXPECT_NE(results[2].said.find("Check failed 3 != 4"), std::string::npos);
    EXPECT_EQ(results[1].said, "") << "what is said before the first result is not the second's";
}

TEST(Tap, OfAShellScriptIsRead) {
    EXPECT_EQ(results_in("TEST: speed check          [ OK ]\n"
                         "TEST: other                [FAIL]\n\twhy\n"
                         "TEST: third [SKIP]\nTEST: fourth [XFAIL]\n",
                         1),
              "speed_check ok; other not-ok; third skip; fourth skip");
    const auto results = read_tap("TEST: one [FAIL]\n\tbecause\nTEST: two [ OK ]\n", 1);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].said, "because\n");
    EXPECT_EQ(results[1].said, "");
    const auto skipped = read_tap("TEST: mausezahn not installed   [SKIP]\n", 4);
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].said.substr(0, 23), "mausezahn not installed") << "its name is its reason";
    EXPECT_EQ(results_in("TEST: SKIP: dev eth0 has no loopback    [ OK ]\n", 4),
              "SKIP:_dev_eth0_has_no_loopback skip");
}

TEST(Tap, TestsInsideTestsAreNamedAfterThem) {
    EXPECT_EQ(results_in("KTAP version 1\n1..1\n    KTAP version 1\n    1..2\n    ok 1 one\n"
                         "    not ok 2 - two\nnot ok 1 outer\n",
                         1),
              "outer/one ok; outer/two not-ok; outer not-ok");
}

TEST(Tap, ASkipWithoutAReasonSaysSo) {
    const auto results = read_tap("ok 1 a # SKIP\nok 2 b # SKIP for this\n", 0);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].said, "SKIP\n");
    EXPECT_EQ(results[1].said, "for this\n");
}

TEST(Tap, APlanOfNoTestsIsASkip) {
    EXPECT_EQ(results_in("TAP version 13\n1..0\n# eth0 has no counters\n", 0), "(script) skip");
    EXPECT_EQ(results_in("1..0\n", 1), "(script) not-ok");
    EXPECT_EQ(results_in("", 0), "(script) ok");
}

TEST(Tap, OneNameTwiceIsTwoTests) {
    EXPECT_EQ(results_in("ok 1 a\nok 2 a\n", 0), "a ok; a#2 ok");
}

TEST(Tap, AnEndThatTheResultsDoNotExplainIsAResult) {
    EXPECT_EQ(results_in("1..3\nok 1 a\nok 2 b\n", 0), "a ok; b ok; (script) not-ok")
        << "fewer than planned";
    EXPECT_EQ(results_in("1..1\nok 1 a\n", 124), "a ok; (script) not-ok") << "timed out";
    EXPECT_EQ(results_in("1..1\nok 1 a\n", 1), "a ok; (script) not-ok") << "nothing failed";
    EXPECT_EQ(results_in("Traceback\n", 1), "(script) not-ok");
    EXPECT_EQ(results_in("", 0), "(script) ok");
    EXPECT_EQ(results_in("# no interface\n", 4), "(script) skip");
    const auto results = read_tap("Traceback: no module\n", 1);
    EXPECT_NE(results.front().said.find("no module"), std::string::npos);
}

TEST(Tap, WhatOnlyBeginsLikeAResultIsNone) {
    EXPECT_EQ(results_in("okay then\nnot okay\n1..1\nok 1 a\n", 0), "a ok");
}

}  // namespace
}  // namespace zcrxlab
