// What a run has come to, from recorded streams and a clock that the test sets.
#include "vm/watch/watch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

class WatchTest : public testing::Test {
  protected:
    static constexpr WatchBounds kBounds{milliseconds(10'000), milliseconds(20'000),
                                         milliseconds(100'000), milliseconds(1'000)};

    Watch::Time at(int64_t ms) const { return Watch::Time(milliseconds(1'000'000 + ms)); }
    void record(RecordType type, const Json& json, int64_t ms) {
        watch_.record({type, json.dump()}, at(ms));
    }
    void boot(int64_t ms = 3'000) {
        record(RecordType::kHello, {{"kernel", "7.3.4"}, {"seconds", 2.5}}, ms);
    }
    void plan(const std::vector<std::string>& tests) {
        record(RecordType::kPlan,
               {{"tests", tests}, {"seed", 7}, {"features", {{"zcrx", true}, {"events", false}}}},
               3'100);
    }
    void start(const std::string& name, int64_t ms = 3'200) {
        record(RecordType::kTestStarted, {{"name", name}}, ms);
    }
    void end(const std::string& name, const char* status, int64_t ms = 3'300) {
        record(RecordType::kTestEnded,
               {{"name", name}, {"status", status}, {"seconds", 0.1}, {"message", "m"}}, ms);
    }
    void done(int code = 0, int64_t ms = 3'400) { record(RecordType::kDone, {{"exit", code}}, ms); }
    int code(int64_t ms = 5'000) const { return exit_code(watch_.summary(at(ms))); }

    Watch watch_{kBounds, at(0)};
};

TEST_F(WatchTest, OfADealtPlanOnlyWhatCameHereCounts) {
    boot();
    record(RecordType::kPlan,
           {{"tests", {"a.b", "a.c", "a.d"}},
            {"seed", 7},
            {"dealt", true},
            {"unfit", {"a.d", 5}},
            {"bounds", {60, "x", 180}},
            {"cpus", {1, 2}}},
           3'100);
    ASSERT_TRUE(watch_.plan());
    EXPECT_EQ(watch_.plan()->names, (std::vector<std::string>{"a.b", "a.c", "a.d"}));
    EXPECT_EQ(watch_.plan()->unfit, std::set<std::string>{"a.d"});
    EXPECT_EQ(watch_.plan()->bounds, (std::vector<double>{60, 0, 180}));
    EXPECT_EQ(watch_.plan()->cpus, (std::vector<double>{1, 2}));
    record(RecordType::kTurn, Json::object(), 3'150);
    start("a.c");
    end("a.c", "passed");
    done();
    EXPECT_EQ(watch_.state(), VmState::kDone);
    ASSERT_EQ(watch_.tests().size(), 1U);
    EXPECT_EQ(watch_.tests()[0].name, "a.c");
}

TEST_F(WatchTest, AWholeRunPasses) {
    EXPECT_EQ(watch_.state(), VmState::kBooting);
    boot();
    EXPECT_EQ(watch_.state(), VmState::kReady);
    plan({"a.b", "a.c"});
    start("a.b");
    end("a.b", "passed");
    start("a.c");
    end("a.c", "skipped");
    EXPECT_FALSE(watch_.over(at(3'350)));
    done();
    EXPECT_EQ(watch_.state(), VmState::kDone);
    EXPECT_TRUE(watch_.over(at(3'400)));
    EXPECT_EQ(watch_.program_exit(), 0);
    EXPECT_EQ(watch_.kernel(), "7.3.4");
    EXPECT_EQ(*watch_.until_ready(), milliseconds(3'000));
    EXPECT_EQ(*watch_.until_first_test(), milliseconds(3'200));
    const RunSummary run = watch_.summary(at(4'000));
    EXPECT_EQ(run.features,
              (std::vector<std::pair<std::string, bool>>{{"events", false}, {"zcrx", true}}));
    ASSERT_EQ(run.tests.size(), 2U);
    EXPECT_EQ(run.tests[0].status, TestStatus::kPassed);
    EXPECT_EQ(run.tests[0].message, "m");
    EXPECT_EQ(run.tests[1].status, TestStatus::kSkipped);
    EXPECT_EQ(run.seed, 7U);
    EXPECT_EQ(code(), 0);
}

struct ExitCase {
    const char* name;
    std::vector<const char*> statuses;
    int code;
};

class ExitCodes : public WatchTest, public testing::WithParamInterface<ExitCase> {};

TEST_P(ExitCodes, OfARunThatEnded) {
    boot();
    std::vector<std::string> names;
    for (size_t i = 0; i < GetParam().statuses.size(); ++i)
        names.push_back("t." + std::to_string(i));
    plan(names);
    for (size_t i = 0; i < names.size(); ++i) end(names[i], GetParam().statuses[i]);
    done();
    EXPECT_EQ(code(), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(Table, ExitCodes,
                         testing::Values(ExitCase{"Passed", {"passed", "passed"}, 0},
                                         ExitCase{"Failed", {"passed", "failed"}, 1},
                                         ExitCase{"Known", {"passed", "known"}, 0},
                                         ExitCase{"Blocked", {"passed", "blocked"}, 0},
                                         ExitCase{"AllSkipped", {"skipped", "skipped"}, 4},
                                         ExitCase{"SomeSkipped", {"skipped", "passed"}, 0},
                                         ExitCase{"FailedAndSkipped", {"skipped", "failed"}, 1},
                                         ExitCase{"None", {}, 64}),
                         [](const auto& param) { return param.param.name; });

TEST_F(WatchTest, APanicIsNoFailure) {
    boot();
    plan({"a.b", "a.c", "a.d"});
    end("a.b", "passed");
    start("a.c");
    watch_.console_line("[   4.0] Kernel panic - not syncing: sysrq", at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    // The rest of the trace may still come.
    EXPECT_FALSE(watch_.over(at(4'100)));
    EXPECT_EQ(watch_.deadline(), at(5'000));
    EXPECT_TRUE(watch_.over(at(5'000)));
    const RunSummary run = watch_.summary(at(5'000));
    EXPECT_EQ(run.tests[0].status, TestStatus::kPassed);
    EXPECT_EQ(run.tests[0].reached, Reached::kEnd);
    EXPECT_EQ(run.tests[1].reached, Reached::kStart);
    EXPECT_EQ(run.tests[2].reached, Reached::kNothing);
    EXPECT_EQ(run.tests[1].status, TestStatus::kLost);
    EXPECT_NE(run.tests[1].message.find("running"), std::string::npos);
    EXPECT_NE(run.tests[1].message.find("sysrq"), std::string::npos);
    EXPECT_EQ(run.tests[2].status, TestStatus::kLost);
    EXPECT_NE(run.tests[2].message.find("not started"), std::string::npos);
    EXPECT_EQ(code(), 255);
}

// As a kernel prints it; what it is stands 40 lines above what it ends with.
TEST_F(WatchTest, APanicIsToldByTheLineThatSaysWhatItIs) {
    watch_.console_line("[   3.9] BUG: kernel NULL pointer dereference, address: 0000000000000010",
                        at(3'900));
    watch_.console_line("[   3.9] Oops: Oops: 0002 [#1] SMP NOPTI", at(3'900));
    watch_.console_line("[   3.9] RIP: 0010:io_zcrx_recv+0x12/0x40", at(3'900));
    for (int i = 0; i < 60; ++i) watch_.console_line("[   3.9]  __x64_sys_read", at(3'900));
    watch_.console_line("[   3.9] RIP: 0033:0x7f0c", at(3'900));
    watch_.console_line("[   4.0] Kernel panic - not syncing: Fatal exception", at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    EXPECT_EQ(watch_.reason(),
              "The guest's kernel panicked: [   4.0] Kernel panic - not syncing: Fatal exception. "
              "What it is: [   3.9] BUG: kernel NULL pointer dereference, address: "
              "0000000000000010, RIP: 0010:io_zcrx_recv+0x12/0x40");
}

TEST_F(WatchTest, APanicEndsWithQemu) {
    boot();
    watch_.console_line("[   4.0] Kernel panic - not syncing: sysrq", at(4'000));
    watch_.qemu_ended("exited with code 0", at(4'050));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    EXPECT_TRUE(watch_.over(at(4'050)));
}

TEST_F(WatchTest, APanicBeforeInitIsSeen) {
    watch_.console_line("[   1.0] Kernel panic - not syncing: No working init found.", at(1'500));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, APanicWhilePoweringOffCounts) {
    boot();
    plan({"a.b"});
    end("a.b", "passed");
    done();
    watch_.console_line("[   4.0] Kernel panic - not syncing: late", at(3'500));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, AnOopsWithoutAPanicEndsTheRunToo) {
    boot();
    watch_.console_line("[   4.0] Oops: 0002 [#1] SMP", at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kReady);
    EXPECT_EQ(watch_.deadline(), at(5'000));
    watch_.tick(at(5'000));
    EXPECT_EQ(watch_.state(), VmState::kPanicked);
    EXPECT_NE(watch_.reason().find("Oops"), std::string::npos);
}

TEST_F(WatchTest, ADeadQemuIsLost) {
    boot();
    plan({"a.b"});
    start("a.b");
    watch_.qemu_ended("was killed by signal 9 (Killed)", at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kLost);
    EXPECT_TRUE(watch_.over(at(4'000)));
    EXPECT_NE(watch_.reason().find("signal 9"), std::string::npos);
    EXPECT_EQ(watch_.summary(at(4'000)).tests[0].status, TestStatus::kLost);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, ADeadDeviceIsLost) {
    boot();
    watch_.device_ended("was killed by signal 11 (Segmentation fault)", at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kLost);
    EXPECT_NE(watch_.reason().find("NIC"), std::string::npos);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, WhatEndsAfterTheGuestIsDoneIsNoMatter) {
    boot();
    plan({"a.b"});
    end("a.b", "passed");
    done();
    watch_.device_ended("exited with code 0", at(3'500));
    watch_.qemu_ended("exited with code 0", at(3'500));
    watch_.tick(at(1'000'000));
    EXPECT_EQ(watch_.state(), VmState::kDone);
    EXPECT_EQ(code(), 0);
}

TEST_F(WatchTest, ADoneGuestWithoutAnEndOfATestIsNoPass) {
    boot();
    plan({"a.b", "a.c"});
    end("a.b", "passed");
    done();
    EXPECT_EQ(watch_.summary(at(4'000)).tests[1].status, TestStatus::kLost);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, TooLongABootTimesOut) {
    EXPECT_EQ(watch_.deadline(), at(10'000));
    watch_.tick(at(9'999));
    EXPECT_EQ(watch_.state(), VmState::kBooting);
    watch_.tick(at(10'000));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
    EXPECT_EQ(code(), 124);
}

TEST_F(WatchTest, SilenceTimesOut) {
    boot(3'000);
    EXPECT_EQ(watch_.deadline(), at(23'000));
    watch_.console_line("alive", at(10'000));
    EXPECT_EQ(watch_.deadline(), at(30'000));
    start("a.b", 20'000);
    watch_.tick(at(39'999));
    EXPECT_EQ(watch_.state(), VmState::kReady);
    watch_.tick(at(40'000));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
    EXPECT_NE(watch_.reason().find("a.b"), std::string::npos);
    EXPECT_EQ(code(), 124);
}

TEST_F(WatchTest, ASlowGuestMayBeSilentForLonger) {
    watch_ = Watch({kBounds.boot, milliseconds(1'000), kBounds.total, kBounds.after_panic}, at(0));
    boot();
    for (int i = 0; i < 3; ++i) record(RecordType::kPlan, {{"slowness", 20}}, 3'100);
    EXPECT_EQ(watch_.deadline(), at(23'100));
    record(RecordType::kPlan, {{"slowness", 1e300}}, 3'100);
    EXPECT_EQ(watch_.deadline(), at(23'100));
    record(RecordType::kPlan, {{"slowness", -5}}, 3'100);
    EXPECT_EQ(watch_.deadline(), at(4'100));
    watch_.tick(at(4'100));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
}

TEST_F(WatchTest, WhatIsTooDeepMakesNoSense) {
    boot();
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    watch_.record({RecordType::kTestEnded, R"({"name":)" + deep + "}"}, at(3'200));
    EXPECT_EQ(watch_.state(), VmState::kLost);
}

TEST_F(WatchTest, TheWholeRunTimesOut) {
    boot();
    for (int64_t ms = 4'000; ms < 100'000; ms += 10'000) {
        record(RecordType::kNotice, {{"text", "working"}}, ms);
        watch_.tick(at(ms));
        ASSERT_EQ(watch_.state(), VmState::kReady);
    }
    watch_.tick(at(100'000));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
    EXPECT_NE(watch_.reason().find("--timeout"), std::string::npos);
}

TEST_F(WatchTest, WhatIsAllowedLaterDoesNotCountTheBoot) {
    boot(9'000);
    watch_.allow(milliseconds(5'000), at(9'500));
    watch_.tick(at(14'499));
    EXPECT_EQ(watch_.state(), VmState::kReady);
    EXPECT_EQ(watch_.deadline(), at(14'500));
    watch_.tick(at(14'500));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
    EXPECT_NE(watch_.reason().find("longer than 5 s"), std::string::npos) << watch_.reason();
}

// A machine that stands still says nothing about the guest's kernel.
class StoodStillTest : public WatchTest {
  protected:
    void SetUp() override {
        boot();
        record(RecordType::kPlan, {{"tests", {"a.b", "a.c"}}, {"seed", 7}, {"dealt", true}}, 3'100);
    }
    void pause(int64_t from, int64_t to) {
        watch_.stood_still({at(from), at(to), milliseconds(to - from), "QEMU was stopped"});
    }
    std::string told() const {
        for (const auto& [name, value] : watch_.summary(at(90'000)).properties)
            if (name == kStoodStill) return value;
        return "";
    }
};

TEST_F(StoodStillTest, NoBoundCountsAPause) {
    start("a.b", 3'200);
    pause(4'000, 34'000);
    watch_.tick(at(34'001));
    watch_.tick(at(53'999));
    EXPECT_EQ(watch_.state(), VmState::kReady);
    watch_.tick(at(54'000));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut) << "from there on, silence counts";
}

TEST_F(StoodStillTest, TheBootHasAsLongAsWithoutIt) {
    watch_ = Watch(kBounds, at(0));
    pause(1'000, 31'000);
    watch_.tick(at(39'999));
    EXPECT_EQ(watch_.state(), VmState::kBooting);
    watch_.tick(at(40'000));
    EXPECT_EQ(watch_.state(), VmState::kTimedOut);
}

TEST_F(StoodStillTest, AScenarioThatRanMeanwhileIsAskedForAgainAndNotJudged) {
    start("a.b", 3'200);
    pause(4'000, 34'000);
    // The guest asks for the next one first.
    record(RecordType::kTurn, Json::object(), 34'100);
    EXPECT_EQ(watch_.take_again(), "a.b");
    end("a.b", "failed", 34'200);
    EXPECT_FALSE(watch_.take_again());
    EXPECT_TRUE(watch_.tests().empty());
    EXPECT_EQ(watch_.last_ended(), nullptr);
    start("a.b", 50'000);
    end("a.b", "passed", 50'100);
    done(0, 50'200);
    EXPECT_EQ(code(), 0);
    EXPECT_EQ(told(), "QEMU was stopped for 30.0 s in a.b. a.b runs again.");
}

TEST_F(StoodStillTest, APauseBehindTheTurnCountsToo) {
    start("a.b", 3'200);
    record(RecordType::kTurn, Json::object(), 3'900);
    pause(4'000, 34'000);
    EXPECT_FALSE(watch_.take_again());
    end("a.b", "failed", 34'200);
    EXPECT_EQ(watch_.take_again(), "a.b");
    EXPECT_TRUE(watch_.tests().empty());
}

TEST_F(StoodStillTest, OneThatBeganRightBehindItRunsAgainOnlyIfItFailed) {
    pause(4'000, 34'000);
    start("a.b", 34'500);
    end("a.b", "passed", 35'000);
    start("a.c", 35'500);
    end("a.c", "failed", 36'000);
    EXPECT_EQ(watch_.take_again(), "a.c");
    start("a.c", 38'000);
    end("a.c", "failed", 38'100);
    EXPECT_FALSE(watch_.take_again()) << "nothing explains that one";
    ASSERT_EQ(watch_.tests().size(), 2U);
    EXPECT_EQ(watch_.tests()[0].status, TestStatus::kPassed);
    EXPECT_EQ(watch_.tests()[1].status, TestStatus::kFailed);
}

TEST_F(StoodStillTest, OneThatBeganRightBehindItIsAskedForBeforeTheGuestHearsThatNothingIsLeft) {
    pause(4'000, 34'000);
    start("a.b", 34'500);
    record(RecordType::kTurn, Json::object(), 34'900);
    EXPECT_FALSE(watch_.take_again()) << "it may have passed";
    record(RecordType::kTurn, {{"harmed", true}}, 35'000);
    EXPECT_EQ(watch_.take_again(), "a.b");
    end("a.b", "failed", 35'100);
    EXPECT_FALSE(watch_.take_again()) << "once is enough";
    EXPECT_TRUE(watch_.tests().empty());
}

TEST_F(StoodStillTest, WhatKeepsFailingBehindItHasFailed) {
    pause(4'000, 34'000);
    for (int64_t round = 0; round < 4; ++round) {
        start("a.b", 34'100 + 10 * round);
        end("a.b", "failed", 34'105 + 10 * round);
        EXPECT_EQ(watch_.take_again().has_value(), round < 3) << round;
    }
    ASSERT_EQ(watch_.tests().size(), 1U);
    EXPECT_EQ(watch_.tests()[0].status, TestStatus::kFailed);
}

TEST_F(StoodStillTest, AGuestThatDiesBehindItIsNoLoss) {
    start("a.b", 3'200);
    end("a.b", "passed", 3'300);
    start("a.c", 3'400);
    pause(4'000, 34'000);
    EXPECT_FALSE(watch_.died_of_pause(at(34'000)));
    watch_.qemu_ended("was killed by signal 11", at(34'100));
    ASSERT_TRUE(watch_.died_of_pause(at(34'100)));
    watch_.go_on_with_another(at(34'200));
    EXPECT_EQ(watch_.take_again(), "a.c");
    EXPECT_EQ(watch_.state(), VmState::kBooting);
    boot(40'000);
    EXPECT_EQ(watch_.until_ready(), milliseconds(5'800));
    start("a.c", 41'000);
    end("a.c", "passed", 41'100);
    done(0, 41'200);
    EXPECT_EQ(watch_.tests().size(), 2U);
    EXPECT_EQ(code(), 0);
    EXPECT_NE(told().find("did not survive that (QEMU was killed by signal 11"), std::string::npos)
        << told();
}

TEST_F(StoodStillTest, AGuestThatDiesLongBehindItOrWithoutItIsLost) {
    start("a.b", 3'200);
    pause(4'000, 34'000);
    watch_.qemu_ended("was killed by signal 11", at(50'000));
    EXPECT_FALSE(watch_.died_of_pause(at(50'000)));
    EXPECT_EQ(code(), 255);
    watch_ = Watch(kBounds, at(0));
    SetUp();
    start("a.b", 3'200);
    watch_.qemu_ended("was killed by signal 11", at(3'300));
    EXPECT_FALSE(watch_.died_of_pause(at(3'300)));
}

TEST_F(StoodStillTest, AFailureWithoutAPauseStays) {
    start("a.b", 3'200);
    record(RecordType::kTurn, Json::object(), 3'900);
    end("a.b", "failed", 4'000);
    EXPECT_FALSE(watch_.take_again());
    done(1, 5'000);
    EXPECT_EQ(code(), 1);
    EXPECT_EQ(told(), "");
}

TEST_F(StoodStillTest, WhoStopsItAgainAndAgainLearnsNothing) {
    for (int64_t round = 0; round < 4; ++round) {
        const int64_t began = 10'000 * (round + 1);
        start("a.b", began);
        pause(began + 1'000, began + 4'000);
        record(RecordType::kTurn, Json::object(), began + 4'100);
        EXPECT_EQ(watch_.take_again().has_value(), round < 3) << round;
        end("a.b", "failed", began + 4'200);
    }
    ASSERT_EQ(watch_.tests().size(), 1U);
    EXPECT_EQ(watch_.tests()[0].status, TestStatus::kLost);
    EXPECT_NE(watch_.tests()[0].message.find("QEMU was stopped for 3.0 s"), std::string::npos);
}

TEST_F(WatchTest, CtrlC) {
    boot();
    watch_.interrupted(at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kInterrupted);
    EXPECT_TRUE(watch_.over(at(4'000)));
    EXPECT_EQ(code(), 130);
}

TEST_F(WatchTest, ABrokenStreamIsLost) {
    boot();
    watch_.records_broken({EPROTO, "a wrong magic"}, at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kLost);
    EXPECT_NE(watch_.reason().find("a wrong magic"), std::string::npos);
}

TEST_F(WatchTest, RecordsThatMakeNoSenseAreLost) {
    boot();
    watch_.record({RecordType::kPlan, "[1, 2"}, at(4'000));
    EXPECT_EQ(watch_.state(), VmState::kLost);
}

TEST_F(WatchTest, AnUnknownStatusIsNoPass) {
    boot();
    plan({"a.b"});
    end("a.b", "wonderful");
    EXPECT_EQ(watch_.state(), VmState::kLost);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, AnUnknownRecordIsLost) {
    boot();
    record(static_cast<RecordType>(99), Json::object(), 4'000);
    EXPECT_EQ(watch_.state(), VmState::kLost);
}

TEST_F(WatchTest, InitsOwnFailureIsLost) {
    boot();
    record(RecordType::kDone, {{"exit", 255}, {"error", "No driver for 0000:00:04.0."}}, 4'000);
    EXPECT_EQ(watch_.state(), VmState::kLost);
    EXPECT_NE(watch_.reason().find("No driver"), std::string::npos);
    EXPECT_EQ(code(), 255);
}

TEST_F(WatchTest, TheSameTestTwiceCountsTwice) {
    boot();
    plan({"a.b"});
    end("a.b", "passed");
    start("a.b");
    end("a.b", "failed");
    done();
    EXPECT_EQ(watch_.tests().size(), 2U);
    EXPECT_EQ(code(), 1);
}

}  // namespace
}  // namespace zcrxlab
