// Parts of the command line: sizes, words, results folders, tables.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/vm_options.hpp"
#include "results/bench/bench_table.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "vm/options.hpp"
#include "vm/programs.hpp"
#include "vm/watch/results_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(Options, Sizes) {
    EXPECT_EQ(mebibytes("512M"), 512U);
    EXPECT_EQ(mebibytes("2G"), 2048U);
    EXPECT_EQ(mebibytes("768"), 768U);
    for (const char* wrong : {"", "G", "1T", "-1G", "1.5G", "0", "9999999999G", "1GB"})
        EXPECT_EQ(mebibytes(wrong), 0U) << wrong;
}

TEST(Options, WordsAsAShellSplitsThem) {
    EXPECT_EQ(split_words(""), std::vector<std::string>{});
    EXPECT_EQ(split_words("  -a  b\tc "), (std::vector<std::string>{"-a", "b", "c"}));
    EXPECT_EQ(split_words("'a b' \"c 'd\" e\\ f ''"),
              (std::vector<std::string>{"a b", "c 'd", "e f", ""}));
}

// Whoever runs a machine again says all of it.
TEST(Options, WordsOfAMachineMakeItAgain) {
    EXPECT_EQ(words_of_machine({}), std::vector<std::string>{});
    const TemporaryFolder folder;
    const std::string module = folder.path() / "gve.ko";
    std::ofstream(module) << "a module";
    const std::vector<std::string> words = {"--cpus",
                                            "4",
                                            "--memory",
                                            "2G",
                                            "--accel",
                                            "tcg",
                                            "--fresh",
                                            "--iommu",
                                            "--module-file",
                                            module,
                                            "--module-parameter",
                                            "zcrx.delay=7",
                                            "--vm-args",
                                            "-msg timestamp=on",
                                            "--kernel-args",
                                            "a=1 b"};
    VmOptions options;
    CLI::App app;
    add_vm_options(app, options);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    EXPECT_EQ(words_of_machine(options), words);
}

TEST(Programs, AreFoundByNameAndPath) {
    EXPECT_FALSE(host_program("sh").empty());
    EXPECT_EQ(host_program("/bin/sh"), "/bin/sh");
    EXPECT_TRUE(host_program("/no/such/program").empty());
    EXPECT_TRUE(host_program("no-such-program-here").empty());
}

RunSummary summary() {
    RunSummary run;
    run.kernel = "7.3.4";
    run.tests = {{"a.b", TestStatus::kPassed, 0.5, {}, {}, {}}};
    return run;
}

TEST(Results, KeepsWhatTheIssueOfARunNeeds) {
    const TemporaryFolder folder;
    {
        auto out = ResultsFolder::open(folder.path() / "out");
        ASSERT_TRUE(out) << out.error().sentence;
        out->console("console text\n");
        const auto log = [&](const nlohmann::json& json) {
            out->record({RecordType::kKernelLog, json.dump()});
        };
        log({{"lines", {"boot"}}});
        out->record({RecordType::kTestStarted, R"({"name":"a.b"})"});
        log({{"lines", {"from a scenario"}}});
        log({{"lines", {"all that came later"}}, {"complete", true}});
        out->record({RecordType::kTrace,
                     R"({"test":"a.b","events":[{"t":1,"event":"Note"},{"t":2,"event":"Note"}]})"});
        ASSERT_TRUE(out->finish_logs());
        ASSERT_TRUE(out->write_reports(summary()));
    }
    EXPECT_EQ(folder.read("out/console.log"), "console text\n");
    EXPECT_EQ(folder.read("out/kernel.log"), "boot\nall that came later\n");
    EXPECT_EQ(nlohmann::json::parse(folder.read("out/results.json"))["kernel"], "7.3.4");
    EXPECT_EQ(folder.read("out/results.tap").substr(0, 14), "TAP version 13");
    EXPECT_NE(folder.read("out/results.xml").find("<testsuite"), std::string::npos);
    const std::string trace = folder.read("out/trace.jsonl");
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 2);
    EXPECT_EQ(nlohmann::json::parse(trace.substr(0, trace.find('\n')))["test"], "a.b");
}

TEST(Results, FoldersOfVmsGoWithTheNextRunOtherFoldersStay) {
    const TemporaryFolder folder;
    folder.write("out/vm3/mine.txt", "mine");
    {
        auto out = ResultsFolder::open(folder.path() / "out");
        ASSERT_TRUE(out);
        for (unsigned number : {1U, 2U}) {
            auto vm = out->of_vm(number);
            ASSERT_TRUE(vm);
            vm->console("from a VM");
            ASSERT_TRUE(vm->finish_logs());
        }
    }
    EXPECT_EQ(folder.read("out/vm2/console.log"), "from a VM");
    ASSERT_TRUE(ResultsFolder::open(folder.path() / "out"));
    EXPECT_FALSE(fs::exists(folder.path() / "out/vm1"));
    EXPECT_FALSE(fs::exists(folder.path() / "out/vm2"));
    EXPECT_EQ(folder.read("out/vm3/mine.txt"), "mine");
}

TEST(Results, AnEarlierRunsFilesGoOtherFilesStay) {
    const TemporaryFolder folder;
    folder.write("out/results.xml", "old");
    folder.write("out/notes.txt", "mine");
    auto out = ResultsFolder::open(folder.path() / "out");
    ASSERT_TRUE(out);
    EXPECT_FALSE(fs::exists(folder.path() / "out/results.xml"));
    EXPECT_EQ(folder.read("out/notes.txt"), "mine");
}

TEST(Results, OneRunAtATimeInAFolder) {
    const TemporaryFolder folder;
    const auto first = ResultsFolder::open(folder.path() / "out");
    ASSERT_TRUE(first);
    const auto second = ResultsFolder::open(folder.path() / "out");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, EBUSY);
}

TEST(Results, WithoutAWishTheNextFreeFolderIsTaken) {
    const TemporaryFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    {
        const auto first = ResultsFolder::open("");
        const auto second = ResultsFolder::open("");
        ASSERT_TRUE(first && second);
        EXPECT_EQ(first->path().filename(), "zcrxlab-out");
        EXPECT_EQ(second->path().filename(), "zcrxlab-out-2");
    }
    fs::current_path(before);
}

TEST(Results, AFloodFromQemuIsCut) {
    const TemporaryFolder folder;
    auto out = ResultsFolder::open(folder.path());
    ASSERT_TRUE(out);
    for (int i = 0; i < 100; ++i) out->qemu_error(std::string(4096, 'x'));
    EXPECT_EQ(folder.read("qemu.log").size(), 65536U);
}

TEST(BenchTablesTest, RowsBecomeATableAndJson) {
    BenchTables tables;
    ASSERT_TRUE(tables.take(
        R"({"table":"goodput","rows":[{"nic":"gve","Mbit/s":1234.56},{"nic":"igb","Mbit/s":9}]})"));
    ASSERT_TRUE(tables.take(R"({"table":"goodput","rows":[{"nic":"e1000e","loss":1}]})"));
    tables.add("boot", {{"to", "\"init\""}, {"seconds", "3.25"}});
    EXPECT_EQ(tables.to_text(),
              "goodput\n"
              "  nic    Mbit/s loss\n"
              "  gve      1235    -\n"
              "  igb         9    -\n"
              "  e1000e      -    1\n"
              "\n"
              "boot\n"
              "  to   seconds\n"
              "  init    3.25\n");
    const auto json = nlohmann::json::parse(tables.to_json());
    EXPECT_EQ(json["goodput"].size(), 3U);
    EXPECT_EQ(json["goodput"][0]["Mbit/s"], 1234.56);
    EXPECT_EQ(json["boot"][0]["to"], "init");
}

TEST(BenchTablesTest, NonsenseIsRefused) {
    BenchTables tables;
    for (const char* wrong : {"", "[]", "{}", R"({"table":1,"rows":[]})",
                              R"({"table":"x","rows":[1]})", R"({"table":"x"})"})
        EXPECT_FALSE(tables.take(wrong)) << wrong;
}

}  // namespace
}  // namespace zcrxlab
