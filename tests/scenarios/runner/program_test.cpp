// The whole runner, with fake scenarios that end in every way: records, statuses, exit codes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/trace/record.hpp"

namespace zcrxlab {
namespace {

using Json = nlohmann::json;

struct Outcome {
    int exit_code = -1;
    std::string output;
    std::vector<Record> records;

    // The kTestEnded record of a test.
    Json ended(const std::string& name) const {
        for (const Record& record : records) {
            if (record.type != RecordType::kTestEnded) continue;
            Json json = Json::parse(record.json);
            if (json["name"] == name) return json;
        }
        return {};
    }
    std::string status(const std::string& name) const { return ended(name).value("status", ""); }
    std::string message(const std::string& name) const { return ended(name).value("message", ""); }
    // All events of a test in the order of its kTrace records.
    std::vector<Json> events(const std::string& name) const {
        std::vector<Json> list;
        for (const Record& record : records) {
            if (record.type != RecordType::kTrace) continue;
            const Json json = Json::parse(record.json);
            if (json["test"] != name) continue;
            for (const Json& event : json["events"]) list.push_back(event);
        }
        return list;
    }
};

std::string contents_of(int fd) {
    std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
}

Outcome run(const std::vector<std::string>& arguments,
            const std::map<std::string, std::string>& environment = {}, bool framed = true) {
    const int records = memfd_create("records", 0), output = memfd_create("output", 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        if (framed) setenv("ZCRXLAB_RECORDS_FD", std::to_string(records).c_str(), 1);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        std::vector<char*> argv = {const_cast<char*>(FAKE_SCENARIOS)};
        for (const std::string& argument : arguments)
            argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execv(argv[0], argv.data());
        _exit(99);
    }
    Outcome outcome;
    int status = 0;
    waitpid(child, &status, 0);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.output = contents_of(output);
    const std::string bytes = contents_of(records);
    RecordReader reader;
    reader.feed(std::as_bytes(std::span(bytes)));
    while (true) {
        Result<std::optional<Record>> record = reader.next();
        EXPECT_TRUE(record.ok());
        if (!record || !*record) break;
        outcome.records.push_back(**record);
    }
    close(records);
    close(output);
    return outcome;
}

std::vector<std::string> planned(const Outcome& outcome) {
    return Json::parse(outcome.records.at(0).json)["tests"];
}

TEST(Program, ShardsAreDealtLikeCards) {
    const std::vector<std::string> all = planned(run({"--filter", "tables.*"}));
    ASSERT_GE(all.size(), 2U);
    std::vector<std::vector<std::string>> parts;
    for (const char* shard : {"1/3", "2/3", "3/3"})
        parts.push_back(planned(run({"--filter", "tables.*", "--shard", shard})));
    std::vector<std::string> again;
    for (size_t i = 0; i < all.size(); ++i) again.push_back(parts[i % 3].at(i / 3));
    EXPECT_EQ(again, all);
}

TEST(Program, AnEmptyShardIsNoMistake) {
    const Outcome outcome = run({"--filter", "ends.well", "--shard", "2/2"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(planned(outcome).empty());
    for (const char* bad : {"0/2", "3/2", "1", "a/b", "1/"})
        EXPECT_EQ(run({"--shard", bad}).exit_code, 64) << bad;
}

TEST(Program, EveryEndIsToldAndTheNextTestRuns) {
    const Outcome outcome = run({"--filter", "ends.*:tables.*", "--seed", "42"});
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_FALSE(outcome.records.empty());
    EXPECT_EQ(outcome.records[0].type, RecordType::kPlan);
    const Json plan = Json::parse(outcome.records[0].json);
    EXPECT_EQ(plan["features"]["zcrx"], true);
    EXPECT_EQ(plan["features"]["add_area"], false);
    EXPECT_EQ(plan["tests"].size(), 13U);
    EXPECT_EQ(plan["seed"], 42);

    EXPECT_EQ(outcome.status("ends.well"), "passed");
    EXPECT_EQ(outcome.message("ends.well"), "");

    EXPECT_EQ(outcome.status("ends.checks"), "failed");
    EXPECT_NE(outcome.message("ends.checks").find("arithmetic"), std::string::npos);
    EXPECT_NE(outcome.message("ends.checks").find("fake_scenarios.cpp"), std::string::npos);

    EXPECT_EQ(outcome.status("ends.gives_up"), "failed");
    EXPECT_EQ(outcome.message("ends.gives_up").find("There is nothing to set up."), 0U);
    const std::vector<Json> given_up = outcome.events("ends.gives_up");
    ASSERT_FALSE(given_up.empty());
    EXPECT_EQ(given_up[0].value("text", ""), "undone");

    EXPECT_EQ(outcome.status("ends.crashes"), "failed");
    EXPECT_NE(outcome.message("ends.crashes").find("signal 6"), std::string::npos);
    EXPECT_NE(outcome.message("ends.crashes").find("about to crash"), std::string::npos);
    const std::vector<Json> crash = outcome.events("ends.crashes");
    ASSERT_FALSE(crash.empty());
    EXPECT_EQ(crash[0].value("text", ""), "the last thing it did");

    EXPECT_EQ(outcome.status("ends.exits"), "failed");
    EXPECT_NE(outcome.message("ends.exits").find("before its end"), std::string::npos);

    EXPECT_EQ(outcome.status("ends.hangs"), "failed");
    EXPECT_NE(outcome.message("ends.hangs").find("did not end within 1.0 s"), std::string::npos);
    EXPECT_FALSE(outcome.events("ends.hangs").empty());
    EXPECT_LT(outcome.ended("ends.hangs")["seconds"], 6.0);

    EXPECT_EQ(outcome.status("ends.skips"), "skipped");
    EXPECT_NE(outcome.message("ends.skips").find("not today"), std::string::npos);
    EXPECT_EQ(outcome.status("ends.misses"), "skipped");
    EXPECT_NE(outcome.message("ends.misses").find("--nic gve"), std::string::npos);

    EXPECT_EQ(outcome.status("ends.breaks"), "failed");
    EXPECT_NE(outcome.message("ends.breaks").find("I9"), std::string::npos);
    EXPECT_FALSE(outcome.ended("ends.breaks")["trace"].empty());

    EXPECT_EQ(outcome.status("ends.binds"), "passed");
    bool released = false;
    for (const Json& event : outcome.events("ends.binds"))
        if (event["event"] == "ProviderReleased") released = event["released"];
    EXPECT_TRUE(released);

    EXPECT_EQ(outcome.status("tables.rows/one"), "passed");
    EXPECT_EQ(outcome.status("tables.rows/two"), "failed");
    EXPECT_EQ(outcome.status("tables.rows/three"), "passed");
}

TEST(Program, WhereEachIfqIsToBeCountedOneThatIsNotFails) {
    EXPECT_EQ(run({"--filter", "counts.*"}).exit_code, 0);
    EXPECT_EQ(run({"--filter", "counts.*", "--count", "chosen"}).exit_code, 0);
    const Outcome always =
        run({"--filter", "counts.*", "--count", "always"}, {{"FAKE_ASKED", "1"}});
    EXPECT_EQ(always.exit_code, 1);
    EXPECT_EQ(always.status("counts.nothing"), "failed");
    EXPECT_NE(always.message("counts.nothing").find("I5"), std::string::npos);
    EXPECT_EQ(always.status("counts.buffers"), "passed") << always.message("counts.buffers");
    EXPECT_EQ(always.status("counts.excused"), "passed") << always.message("counts.excused");
    EXPECT_EQ(run({"--filter", "counts.*", "--count", "sometimes"}).exit_code, 64);
}

struct Outside {
    const char* variable;
    const char* says;
};

// What is seen from outside fails a scenario that itself noticed nothing.
class SeenFromOutside : public testing::TestWithParam<Outside> {};

TEST_P(SeenFromOutside, Fails) {
    const char* test = "ends.binds";
    const Outcome clean = run({"--filter", test});
    EXPECT_EQ(clean.exit_code, 0) << clean.message(test);
    const Outcome outcome =
        run({"--filter", test, "--slowness", "0.1"}, {{GetParam().variable, "1"}});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.status(test), "failed");
    EXPECT_NE(outcome.message(test).find(GetParam().says), std::string::npos)
        << outcome.message(test);
}

const Outside kOutside[] = {{"FAKE_EARLY_WARNING", "I7"},
                            {"FAKE_WARNING", "I7"},
                            {"FAKE_LATE_WARNING", "Behind the scenario:\nI7"},
                            {"FAKE_LEAK", "I6"},
                            {"FAKE_LOST_MEMORY", "unreferenced object"},
                            {"FAKE_RULE", "I8"},
                            {"FAKE_PROVIDER", "I6"},
                            {"FAKE_BLINDNESS", "the pinned pages are a secret"},
                            {"FAKE_LOST_COUNTER", "nothing tells it any more"},
                            {"FAKE_DEAF_KERNEL", "the kernel does not answer"},
                            {"FAKE_WILD_DOORBELL", "I10"},
                            {"FAKE_DEAD_DEVICE", "The device is dead."}};
INSTANTIATE_TEST_SUITE_P(Program, SeenFromOutside, testing::ValuesIn(kOutside),
                         [](const auto& each) { return std::string(each.param.variable); });

TEST(Program, WhatIsLeftBehindIsBlamedOnItsScenarioAlone) {
    const std::vector<std::string> arguments = {"--filter", "ends.well:ends.binds:tables.rows/one",
                                                "--slowness", "0.1"};
    for (const char* variable : {"FAKE_RULE", "FAKE_LEAK", "FAKE_LEAK_FOR_A_WHILE"}) {
        const Outcome outcome = run(arguments, {{variable, "1"}});
        EXPECT_EQ(outcome.status("ends.well"), "failed") << variable;
        EXPECT_EQ(outcome.status("ends.binds"), "passed") << outcome.message("ends.binds");
        EXPECT_EQ(outcome.status("tables.rows/one"), "passed");
    }
}

TEST(Program, WhoMayKeepWhatDoesNotComeBackIsSaid) {
    const auto says_who = [](const Outcome& outcome) {
        return std::ranges::any_of(outcome.events("ends.binds"), [](const Json& event) {
            return event["event"] == "Note" && event["text"] == "Page pool 1 waits for 7 pages.";
        });
    };
    const std::vector<std::string> arguments = {"--filter", "ends.binds", "--slowness", "0.1"};
    EXPECT_TRUE(says_who(run(arguments, {{"FAKE_LEAK", "1"}})));
    EXPECT_FALSE(says_who(run(arguments)));
}

TEST(Program, WhatNobodyCanReadFromTheStartIsTold) {
    const Outcome outcome = run({"--filter", "ends.binds"}, {{"FAKE_BLIND_FROM_THE_START", "1"}});
    EXPECT_EQ(outcome.status("ends.binds"), "passed") << outcome.message("ends.binds");
    bool told = false;
    for (const Record& record : outcome.records)
        told = told || (record.type == RecordType::kNotice &&
                        record.json.find("the pinned pages are a secret") != std::string::npos);
    EXPECT_TRUE(told);
}

// It takes seconds to look for it, so that is done behind scenarios that may lose some.
TEST(Program, LostMemoryIsBlamedOnTheScenarioBehindWhichItWasLookedFor) {
    const Outcome outcome =
        run({"--filter", "ends.well:outages.*:tables.rows/one"}, {{"FAKE_LOST_MEMORY", "1"}});
    EXPECT_EQ(outcome.status("ends.well"), "passed");
    EXPECT_EQ(outcome.status("outages.driver"), "failed");
    EXPECT_NE(outcome.message("outages.driver").find("since the run began"), std::string::npos);
    EXPECT_EQ(outcome.status("tables.rows/one"), "passed");
}

// The fake kernel has zero-copy receive, and nothing that came later.
TEST(Program, AFeatureThatTheKernelShouldHaveIsNoSkip) {
    const char* test = "features.events";
    const Outcome strict = run({"--filter", test});
    EXPECT_EQ(strict.exit_code, 1);
    EXPECT_EQ(strict.status(test), "failed");
    EXPECT_NE(strict.message(test).find("since 7.2, and this kernel, 7.3.4, does not have it"),
              std::string::npos)
        << strict.message(test);
    EXPECT_EQ(run({"--filter", test, "--lenient"}).status(test), "skipped");
    EXPECT_EQ(run({"--filter", test}, {{"ZCRXLAB_LENIENT", "1"}}).status(test), "skipped");
    EXPECT_EQ(run({"--filter", test}, {{"ZCRXLAB_LENIENT", ""}}).status(test), "failed");
    const Outcome older = run({"--filter", test}, {{"FAKE_RELEASE", "7.1.30"}});
    EXPECT_EQ(older.status(test), "skipped");
    EXPECT_EQ(older.exit_code, 4);
}

TEST(Program, ControlsRunOnRequestAndMustBreakTheirInvariant) {
    EXPECT_EQ(run({"--filter", "*-counts.*:ends.*:features.*:outages.*:tables.*"}).exit_code, 64);
    const Outcome outcome = run({"--filter", "control_*"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.status("control_invariants.right"), "passed");
    EXPECT_EQ(outcome.message("control_invariants.right").find("Control ok: I9"), 0U);
    EXPECT_EQ(outcome.status("control_invariants.none"), "failed");
    EXPECT_EQ(outcome.status("control_invariants.other"), "failed");
    EXPECT_EQ(run({"--filter", "control_*.right"}).exit_code, 0);
}

TEST(Program, ExitCodes) {
    EXPECT_EQ(run({"--filter", "ends.well"}).exit_code, 0);
    EXPECT_EQ(run({}, {{"ZCRXLAB_FILTER", "ends.well"}}).exit_code, 0);
    EXPECT_EQ(run({"--filter", "ends.misses"}).exit_code, 4);
    EXPECT_EQ(run({"--filter", "ends.misses:ends.well"}).exit_code, 0);
    EXPECT_EQ(run({"--filter", "nothing.*"}).exit_code, 64);
    EXPECT_EQ(run({"--no-such-option"}, {}, false).exit_code, 64);
    EXPECT_EQ(run({"--seed", "many"}, {}, false).exit_code, 64);
    EXPECT_EQ(run({"stray"}, {}, false).exit_code, 64);
    EXPECT_EQ(run({}, {{"ZCRXLAB_RECORDS_FD", "77"}}, false).exit_code, 64);
    EXPECT_EQ(run({"--help"}, {}, false).exit_code, 0);
}

TEST(Program, LinesForPeopleWithoutARecordsDescriptor) {
    const Outcome outcome = run({"--filter", "ends.well:ends.breaks"}, {}, false);
    EXPECT_TRUE(outcome.records.empty());
    EXPECT_NE(outcome.output.find("ends.well"), std::string::npos);
    EXPECT_NE(outcome.output.find("I9"), std::string::npos);
    EXPECT_EQ(outcome.output.find("all is well"), std::string::npos);
    const Outcome traced = run({"--filter", "ends.well", "--trace"}, {}, false);
    EXPECT_NE(traced.output.find("all is well"), std::string::npos);
}

TEST(Program, TheListNeedsNothing) {
    const Outcome text = run({"--list"}, {}, false);
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_NE(text.output.find("a hanging scenario is killed"), std::string::npos);
    const Outcome json = run({"--list", "--json"}, {}, false);
    const Json list = Json::parse(json.output);
    ASSERT_EQ(list["chapters"].size(), 6U);
    const Json& control = list["chapters"][0];
    EXPECT_EQ(control["name"], "control_invariants");
    EXPECT_EQ(control["on_request"], true);
    EXPECT_EQ(control["tests"][0]["violates"], "I9");
    const Json& ends = list["chapters"][2];
    EXPECT_EQ(ends["tests"].size(), 10U);
    EXPECT_EQ(ends["tests"][9]["needs"], Json::array({"faults"}));
    const Json filtered =
        Json::parse(run({"--list", "--json", "--filter", "tables.*"}, {}, false).output);
    EXPECT_EQ(filtered["chapters"].size(), 1U);
}

}  // namespace
}  // namespace zcrxlab
