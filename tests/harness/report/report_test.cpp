// The report in each of its forms, with good results and with text that tries to break out of it.
#include "harness/report/report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/fakes/xml_reader.hpp"

namespace zcrxlab {
namespace {

RunSummary good_run() {
    return {.kernel = "7.2.12-cloud",
            .nic = "gve",
            .seed = 18446744073709551615U,
            .seconds = 12.5,
            .tests = {{.name = "Stream.OneByte", .status = TestStatus::kPassed, .seconds = 0.1234},
                      {.name = "Stream.Loss",
                       .status = TestStatus::kFailed,
                       .seconds = 2,
                       .message = "I1: 5 bytes are missing\nsecond line",
                       .trace = {"12.5 ms CQE", "12.6 ms returned"}},
                      {.name = "Burst.Silence",
                       .status = TestStatus::kKnown,
                       .message = "the request is not requeued",
                       .reference = "98ad5b63f504"},
                      {.name = "Nodev.Flush",
                       .status = TestStatus::kSkipped,
                       .message = "needs ZCRX_CTRL; type: zcrxlab run --kernel 7.1"},
                      {.name = "Close.Held",
                       .status = TestStatus::kLost,
                       .seconds = 3,
                       .reached = Reached::kStart}},
            .properties = {{"qemu", "11.1.3"}},
            .console = "last line\n"};
}

RunSummary with(const std::vector<TestStatus>& statuses, Ending ending = Ending::kFinished) {
    RunSummary run{.ending = ending, .ending_message = ""};
    for (const TestStatus status : statuses) run.tests.push_back({.name = "A.B", .status = status});
    return run;
}

// What a guest may send: an end of CDATA, markup, directives, escapes, broken UTF-8, a NUL.
const std::string kHostile =
    std::string("]]><a b=\"c\">&amp;\n1..9\nok 7 fake\nBail out! #SKIP\r\n") +
    "\x1b[2J\x9b\xc2\x9b\xff\xc0\xaf\xed\xa0\x80\xf5 \xef\xbf\xbf" + std::string(1, '\0') +
    "\x7f\x08 end \xc3\xa4";

RunSummary hostile_run() {
    RunSummary run = good_run();
    run.kernel = run.nic = run.ending_message = run.console = run.unexpected = kHostile;
    run.properties = {{kHostile, kHostile}};
    run.ending = Ending::kLost;
    for (TestResult& test : run.tests) {
        test.name = test.message = test.reference = kHostile;
        test.trace = {kHostile, kHostile};
    }
    return run;
}

TEST(Text, CleanedIsUtf8WithoutControls) {
    EXPECT_EQ(cleaned("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(cleaned("\x1b[31mred\x07\r"), "[31mred");
    EXPECT_EQ(cleaned("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
              "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(cleaned("\xff"), "\xef\xbf\xbd");
    EXPECT_EQ(cleaned("\xc2\x9b"), "\xef\xbf\xbd");
    EXPECT_EQ(cleaned("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(cleaned("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(cleaned("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(cleaned(""), "");
    EXPECT_EQ(on_one_line("a\nb\tc \n"), "a b c");
}

TEST(Status, NamesGoBothWays) {
    for (const TestStatus status : {TestStatus::kPassed, TestStatus::kFailed, TestStatus::kKnown,
                                    TestStatus::kBlocked, TestStatus::kSkipped, TestStatus::kLost})
        EXPECT_EQ(status_from_name(name_of(status)), status);
    EXPECT_FALSE(status_from_name("PASSED"));
    EXPECT_FALSE(status_from_name(""));
}

TEST(ExitCode, FollowsTheTable) {
    using enum TestStatus;
    EXPECT_EQ(exit_code(with({kPassed, kSkipped, kKnown})), 0);
    EXPECT_EQ(exit_code(with({kKnown})), 0);
    EXPECT_EQ(exit_code(with({kPassed, kBlocked})), 0);
    EXPECT_EQ(exit_code(with({kBlocked, kFailed})), 1);
    EXPECT_EQ(exit_code(with({kBlocked, kSkipped})), 4) << "nothing was judged";
    EXPECT_EQ(exit_code(with({kPassed, kFailed})), 1);
    EXPECT_EQ(exit_code(with({kSkipped, kSkipped})), 4);
    EXPECT_EQ(exit_code(with({})), 64);
    EXPECT_EQ(exit_code(with({kPassed, kFailed, kLost})), 255);
    RunSummary counted = with({kPassed});
    counted.unexpected = "gve on 7.3.4: 21 known, 20 are expected.";
    EXPECT_EQ(exit_code(counted), 1);
    counted = with({kSkipped});
    counted.unexpected = "gve on 7.3.4: 1 skipped, 0 are expected.";
    EXPECT_EQ(exit_code(counted), 1);
    EXPECT_EQ(exit_code(with({kPassed}, Ending::kTimeout)), 124);
    EXPECT_EQ(exit_code(with({kPassed}, Ending::kInterrupted)), 130);
    EXPECT_EQ(exit_code(with({kFailed}, Ending::kPanicked)), 255);
    EXPECT_EQ(exit_code(with({}, Ending::kLost)), 255);
}

TEST(Tap, IsVersion13) {
    EXPECT_EQ(to_tap(good_run()),
              "TAP version 13\n"
              "# kernel 7.2.12-cloud, nic gve, seed 18446744073709551615\n"
              "1..5\n"
              "ok 1 Stream.OneByte # time=123ms\n"
              "not ok 2 Stream.Loss # time=2000ms\n"
              "# I1: 5 bytes are missing\n"
              "# second line\n"
              "# 12.5 ms CQE\n"
              "# 12.6 ms returned\n"
              "not ok 3 Burst.Silence # TODO 98ad5b63f504: the request is not requeued\n"
              "ok 4 Nodev.Flush # SKIP needs ZCRX_CTRL; type: zcrxlab run --kernel 7.1\n"
              "not ok 5 Close.Held # time=3000ms\n"
              "# lost: the guest never told its end\n"
              "# Totals: pass:1 fail:1 xfail:1 xpass:0 skip:1 error:1\n");
}

TEST(Tap, RunThatBrokeOffSaysSo) {
    RunSummary run = with({TestStatus::kPassed}, Ending::kPanicked);
    run.ending_message = "the guest's kernel panicked: Oops";
    EXPECT_NE(to_tap(run).find("\nBail out! the guest's kernel panicked: Oops\n"),
              std::string::npos);
}

TEST(Tap, SaysHowZeroCopyWasProven) {
    RunSummary run = with({TestStatus::kPassed}, Ending::kFinished);
    EXPECT_EQ(to_tap(run).find("proven"), std::string::npos);
    run.properties = {{"zero_copy_proof", "counters"}};
    EXPECT_NE(to_tap(run).find("\n# zero copy proven by: counters\nok 1"), std::string::npos);
}

TEST(Tap, HostileTextStaysWhereItBelongs) {
    const std::string tap = to_tap(hostile_run());
    size_t results = 0, plans = 0, bails = 0;
    for (size_t at = 0; at < tap.size(); at = tap.find('\n', at) + 1) {
        const std::string line = tap.substr(at, tap.find('\n', at) - at);
        results += line.rfind("ok ", 0) == 0 || line.rfind("not ok ", 0) == 0 ? 1 : 0;
        plans += line.rfind("1..", 0) == 0 ? 1 : 0;
        bails += line.rfind("Bail out!", 0) == 0 ? 1 : 0;
    }
    EXPECT_EQ(results, 5U);
    EXPECT_EQ(plans, 1U);
    EXPECT_EQ(bails, 1U);
    EXPECT_EQ(tap.find('\x1b'), std::string::npos);
    EXPECT_NE(tap.find("not ok 2 ]]><a b=\"c\">&amp; 1..9 ok 7 fake Bail out! _SKIP"),
              std::string::npos)
        << tap;
}

TEST(Junit, HasWhatContinuousIntegrationReads) {
    const auto root = read_xml(to_junit(good_run()));
    ASSERT_TRUE(root);
    EXPECT_EQ(root->name, "testsuites");
    const auto& suite = *root->all("testsuite").at(0);
    EXPECT_EQ(suite.attributes.at("tests"), "5");
    EXPECT_EQ(suite.attributes.at("failures"), "1");
    EXPECT_EQ(suite.attributes.at("errors"), "1");
    EXPECT_EQ(suite.attributes.at("skipped"), "2");
    EXPECT_EQ(suite.attributes.at("time"), "12.500");

    std::map<std::string, std::string> properties;
    for (const auto* property : suite.all("properties").at(0)->all("property"))
        properties[property->attributes.at("name")] = property->attributes.at("value");
    EXPECT_EQ(properties, (std::map<std::string, std::string>{{"kernel", "7.2.12-cloud"},
                                                              {"nic", "gve"},
                                                              {"seed", "18446744073709551615"},
                                                              {"qemu", "11.1.3"},
                                                              {"known", "1"},
                                                              {"blocked", "0"}}));
    const auto cases = suite.all("testcase");
    ASSERT_EQ(cases.size(), 5U);
    EXPECT_EQ(cases[0]->attributes.at("classname"), "Stream");
    EXPECT_EQ(cases[0]->attributes.at("name"), "OneByte");
    EXPECT_EQ(cases[0]->attributes.at("time"), "0.123");
    EXPECT_TRUE(cases[0]->children.empty());
    EXPECT_EQ(cases[1]->all("failure").at(0)->attributes.at("message"), "I1: 5 bytes are missing");
    EXPECT_EQ(cases[1]->all("failure").at(0)->text,
              "I1: 5 bytes are missing\nsecond line\n12.5 ms CQE\n12.6 ms returned");
    EXPECT_EQ(cases[2]->all("skipped").at(0)->attributes.at("message"),
              "known: 98ad5b63f504: the request is not requeued");
    EXPECT_EQ(cases[4]->all("error").size(), 1U);
    EXPECT_EQ(suite.all("system-out").at(0)->text, "last line\n");
}

TEST(Junit, RunThatBrokeOffIsAnError) {
    RunSummary run = with({TestStatus::kPassed}, Ending::kLost);
    run.ending_message = "the device process died";
    const auto root = read_xml(to_junit(run));
    ASSERT_TRUE(root);
    const auto& suite = *root->all("testsuite").at(0);
    EXPECT_EQ(suite.attributes.at("errors"), "1");
    EXPECT_EQ(suite.attributes.at("tests"), "2");
    EXPECT_EQ(suite.all("testcase").at(1)->all("error").at(0)->attributes.at("message"),
              "the device process died");
}

TEST(Report, NumbersThatAreNotAsExpectedAreInEachForm) {
    RunSummary run = with({TestStatus::kPassed});
    run.unexpected = "gve on 7.3.4: 21 known, 20 are expected.";
    EXPECT_NE(to_text(run).find("\n" + run.unexpected + "\n"), std::string::npos) << to_text(run);
    EXPECT_NE(to_tap(run).find("# " + run.unexpected + "\n"), std::string::npos) << to_tap(run);
    const auto root = read_xml(to_junit(run));
    ASSERT_TRUE(root);
    const auto& suite = *root->all("testsuite").at(0);
    EXPECT_EQ(suite.attributes.at("failures"), "1");
    EXPECT_EQ(suite.attributes.at("tests"), "2");
    EXPECT_EQ(suite.all("testcase").at(1)->all("failure").at(0)->attributes.at("message"),
              run.unexpected);
    const auto back = summary_from_json(to_json(run));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->unexpected, run.unexpected);
}

TEST(Junit, HostileTextIsEscaped) {
    const auto root = read_xml(to_junit(hostile_run()));
    ASSERT_TRUE(root) << to_junit(hostile_run());
    const auto& suite = *root->all("testsuite").at(0);
    EXPECT_EQ(suite.all("testcase").size(), 7U);
    EXPECT_EQ(suite.all("system-out").at(0)->text, cleaned(kHostile));
    EXPECT_EQ(suite.all("testcase").at(1)->all("failure").at(0)->text,
              cleaned(kHostile + "\n" + kHostile + "\n" + kHostile));
}

TEST(Json, HasExactlyThePromisedKeys) {
    const auto json = nlohmann::json::parse(to_json(good_run()));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{"ending", "features", "kernel", "nic", "properties",
                                              "seconds", "seed", "tests"}));
    EXPECT_EQ(json["seed"], 18446744073709551615U);
    EXPECT_EQ(json["seconds"], 12.5);
    ASSERT_EQ(json["tests"].size(), 5U);
    for (const auto& test : json["tests"]) {
        keys.clear();
        for (const auto& [key, value] : test.items())
            if (key != "reference" && key != "trace" && key != "reached") keys.push_back(key);
        EXPECT_EQ(keys, (std::vector<std::string>{"message", "name", "seconds", "status"}));
    }
    EXPECT_EQ(json["tests"][2]["status"], "known");
    EXPECT_EQ(json["tests"][1]["message"], "I1: 5 bytes are missing\nsecond line");
}

TEST(Json, ComesBackAsItWas) {
    RunSummary run = good_run();
    run.features = {{"zcrx", true}, {"add_area", false}};
    run.ending = Ending::kPanicked;
    run.ending_message = "The guest's kernel panicked: Oops";
    run.console = "last words\n";
    const auto back = summary_from_json(to_json(run));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(to_json(*back), to_json(run));
    EXPECT_EQ(back->ending, Ending::kPanicked);
    EXPECT_EQ(back->features, run.features);
    EXPECT_EQ(back->console, run.console);
    EXPECT_EQ(back->tests[1].trace, run.tests[1].trace);
    EXPECT_EQ(back->tests[2].reference, run.tests[2].reference);
}

TEST(Json, SaysHowFarALostTestCame) {
    RunSummary run = with({TestStatus::kLost, TestStatus::kLost, TestStatus::kPassed});
    run.tests[0].reached = Reached::kNothing;
    run.tests[1].reached = Reached::kStart;
    const auto back = summary_from_json(to_json(run));
    ASSERT_TRUE(back);
    for (size_t i = 0; i < run.tests.size(); ++i)
        EXPECT_EQ(back->tests[i].reached, run.tests[i].reached) << i;
    // Files from before this was said blame no test.
    const auto older = summary_from_json(
        R"({"ending":"panicked","tests":[{"name":"a.b","status":"lost","message":"It was running"}]})");
    ASSERT_TRUE(older);
    EXPECT_EQ(older->tests[0].reached, Reached::kNothing);
}

TEST(Json, WhatIsNoResultIsRefused) {
    for (const char* wrong : {"", "[]", "{}", R"({"tests":[]})", R"({"ending":"finished"})",
                              R"({"ending":"well","tests":[]})", R"({"ending":"lost","tests":1})"})
        EXPECT_FALSE(summary_from_json(wrong)) << wrong;
    const auto odd = summary_from_json(
        R"({"ending":"finished","seed":-1,"features":[1],"tests":[7,{"status":"fine","trace":3}]})");
    ASSERT_TRUE(odd);
    ASSERT_EQ(odd->tests.size(), 1U);
    EXPECT_EQ(odd->tests[0].status, TestStatus::kLost);
}

TEST(Json, HostileTextAndNumbersDoNoHarm) {
    RunSummary run = hostile_run();
    run.seconds = std::numeric_limits<double>::quiet_NaN();
    run.tests[0].seconds = std::numeric_limits<double>::infinity();
    const auto json = nlohmann::json::parse(to_json(run));
    EXPECT_EQ(json["kernel"], cleaned(kHostile));
    EXPECT_EQ(json["seconds"], 0.0);
    EXPECT_TRUE(read_xml(to_junit(run)));
    EXPECT_NE(to_tap(run).find("time=0ms"), std::string::npos);
}

TEST(People, SeeAFailureAtLength) {
    const RunSummary run = good_run();
    EXPECT_EQ(to_text(run.tests[1], "[ 12.0] boot\n", "vm/zcrxlab run --filter Stream.Loss",
                      "vm/zcrxlab trace out --test Stream.Loss"),
              "FAILED Stream.Loss\n"
              "    I1: 5 bytes are missing\n"
              "    second line\n"
              "  trace around it:\n"
              "    12.5 ms CQE\n"
              "    12.6 ms returned\n"
              "  last console lines:\n"
              "    [ 12.0] boot\n"
              "  see all of its trace:\n"
              "    vm/zcrxlab trace out --test Stream.Loss\n"
              "  run just this one again:\n"
              "    vm/zcrxlab run --filter Stream.Loss\n");
    EXPECT_EQ(to_text(run.tests[4], "", "", ""),
              "LOST Close.Held\n    The guest never told the end of this test.\n");
}

TEST(People, SeeALinePerTestAndASummary) {
    const RunSummary run = good_run();
    EXPECT_EQ(to_line(run.tests[0]), "passed   Stream.OneByte  0.12 s");
    EXPECT_EQ(to_line(run.tests[2]), "known    Burst.Silence  0.00 s: 98ad5b63f504");
    EXPECT_EQ(to_line(run.tests[3]),
              "skipped  Nodev.Flush  0.00 s: needs ZCRX_CTRL; type: zcrxlab run --kernel 7.1");
    EXPECT_EQ(to_text(run),
              "5 tests in 12.5 s on gve (7.2.12-cloud), seed 18446744073709551615: 1 passed, 1 "
              "failed, 1 known, 1 skipped, 1 lost\n");
    RunSummary lost = with({}, Ending::kTimeout);
    lost.ending_message = "600 s have passed";
    EXPECT_NE(to_text(lost).find("0 passed\nTIMEOUT: 600 s have passed\n"), std::string::npos);
}

// What was not judged is neither passed nor known in any form.
TEST(Blocked, IsSaidInEveryForm) {
    RunSummary run = with({TestStatus::kPassed});
    run.tests.push_back({.name = "Close.Held",
                         .status = TestStatus::kBlocked,
                         .message = "the device starves",
                         .reference = "b65352a1bac6"});
    EXPECT_EQ(to_line(run.tests[1]), "blocked  Close.Held  0.00 s: b65352a1bac6");
    EXPECT_NE(to_text(run).find(": 1 passed, 1 blocked\n1 blocked: their claims were not judged"),
              std::string::npos);
    const std::string tap = to_tap(run);
    EXPECT_NE(tap.find("\nok 2 Close.Held # SKIP blocked: b65352a1bac6: the device starves\n"),
              std::string::npos);
    EXPECT_NE(tap.find("# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:1 error:0\n# blocked: 1 "),
              std::string::npos);
    EXPECT_NE(
        to_junit(run).find("<skipped message=\"blocked: b65352a1bac6: the device starves\"/>"),
        std::string::npos);
    const auto back = summary_from_json(to_json(run));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->tests[1].status, TestStatus::kBlocked);
    EXPECT_EQ(back->tests[1].reference, "b65352a1bac6");
}

TEST(People, SeeWhereTheTimeWent) {
    RunSummary run;
    EXPECT_EQ(time_by_chapter(run), "");
    run.tests = {{.name = "refill.wrap", .seconds = 1.5},
                 {.name = "tcp.loss", .seconds = 4},
                 {.name = "refill.twice", .seconds = 1}};
    EXPECT_EQ(time_by_chapter(run),
              "seconds by chapter: tcp 4.0 (1 tests), refill 2.5 (2 tests)\n"
              "longest: tcp.loss 4.0, refill.wrap 1.5, refill.twice 1.0\n");
}

TEST(People, SeeNoTerminalEscapes) {
    const RunSummary run = hostile_run();
    const std::string all = to_text(run.tests[1], kHostile, kHostile, kHostile) + to_text(run) +
                            to_line(run.tests[3]) + to_line(run.tests[2]);
    for (const char c : all)
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
    EXPECT_EQ(to_line(run.tests[3]).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
