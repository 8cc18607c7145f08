// What records of any content become in the results folder.
#include "vm/watch/results_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/watch/root_folder.hpp"

namespace zcrxlab {
namespace {

class ResultsFolderTest : public testing::Test {
  protected:
    void take(RecordType type, std::string json) { out_->record({type, std::move(json)}); }
    std::string written(const char* name) {
        EXPECT_TRUE(out_->finish_logs());
        return folder_.read(name);
    }

    TemporaryFolder folder_;
    Result<ResultsFolder> out_ = ResultsFolder::open(folder_.path());
};

TEST_F(ResultsFolderTest, EventsAreLinesWithTheirTest) {
    take(RecordType::kTrace, R"({"test":"a.b","events":[{"t":1},{"t":2}]})");
    EXPECT_EQ(written("trace.jsonl"), "{\"t\":1,\"test\":\"a.b\"}\n{\"t\":2,\"test\":\"a.b\"}\n");
}

TEST_F(ResultsFolderTest, TheCompleteKernelLogTakesThePlaceOfItsParts) {
    take(RecordType::kKernelLog, R"({"lines":["boot"]})");
    take(RecordType::kTestStarted, R"({"name":"a.b"})");
    take(RecordType::kKernelLog, R"({"lines":["part"]})");
    take(RecordType::kKernelLog, R"({"lines":["part","rest"],"complete":true})");
    EXPECT_EQ(written("kernel.log"), "boot\npart\nrest\n");
}

TEST_F(ResultsFolderTest, MembersOfAnotherTypeAreNotThere) {
    take(RecordType::kKernelLog, R"({"lines":["a"],"complete":"yes"})");
    take(RecordType::kKernelLog, R"({"lines":["b",1,null],"complete":1})");
    take(RecordType::kKernelLog, R"({"lines":{"c":"c"},"complete":true})");
    take(RecordType::kKernelLog, R"({"lines":7})");
    take(RecordType::kTrace, R"({"events":"all"})");
    take(RecordType::kTrace, R"({"events":{"t":"e"},"test":1})");
    take(RecordType::kTrace, R"({"events":[1,"x",null,[]],"test":1})");
    EXPECT_EQ(written("kernel.log"), "a\nb\n");
    EXPECT_EQ(written("trace.jsonl"), "");
}

TEST_F(ResultsFolderTest, WhatIsTooDeepIsLeftOut) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    take(RecordType::kTrace, R"({"test":"a.b","events":[{"t":1,"x":)" + deep + "}]}");
    take(RecordType::kKernelLog, R"({"lines":["a"],"complete":)" + deep + "}");
    EXPECT_EQ(written("trace.jsonl"), "");
    EXPECT_EQ(written("kernel.log"), "");
}

// Files cannot grow beyond `bytes` while this lives, as on a full disk, but with EFBIG.
class SmallFiles {
  public:
    explicit SmallFiles(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

TEST_F(ResultsFolderTest, WhatCannotBeWrittenIsNamedAndTheRestIsThere) {
    take(RecordType::kTestEnded, R"({"name":"a.b","status":"passed"})");
    {
        const SmallFiles small(100'000);
        out_->console(std::string(99'000, 'x'));
        out_->console(std::string(99'000, 'y'));
        out_->console("z");
        take(RecordType::kTestEnded, R"({"name":"a.c","status":"passed"})");
        RunSummary run;
        run.tests = {{.name = "a.b", .status = TestStatus::kPassed, .seconds = 0},
                     {.name = "a.c", .message = std::string(200'000, 'm')}};
        for (const auto& done : {out_->write_reports(run), out_->finish_logs()}) ASSERT_FALSE(done);
        const std::string reports = out_->write_reports(run).error().sentence;
        for (const char* name : {"results.tap", "results.xml", "results.json"})
            EXPECT_NE(reports.find((folder_.path() / name).string()), std::string::npos) << reports;
        const std::string logs = out_->finish_logs().error().sentence;
        EXPECT_NE(logs.find((folder_.path() / "console.log").string()), std::string::npos) << logs;
        EXPECT_EQ(logs.find("ended.jsonl"), std::string::npos) << logs;
        EXPECT_FALSE(std::filesystem::exists(folder_.path() / "results.xml")) << "half of one";
    }
    EXPECT_EQ(folder_.read("console.log"), std::string(99'000, 'x')) << "whole pieces only";
    EXPECT_EQ(folder_.read("ended.jsonl"),
              "{\"name\":\"a.b\",\"status\":\"passed\"}\n"
              "{\"name\":\"a.c\",\"status\":\"passed\"}\n");
}

TEST_F(ResultsFolderTest, RoomForTheReportsIsKeptUntilTheyAreWritten) {
    const std::filesystem::path reserve = folder_.path() / ".reserve";
    ASSERT_TRUE(std::filesystem::exists(reserve));
    EXPECT_GE(std::filesystem::file_size(reserve), 1U << 20);
    ASSERT_TRUE(out_->write_reports({}));
    EXPECT_FALSE(std::filesystem::exists(reserve));
    out_ = Error{};
    out_ = ResultsFolder::open(folder_.path());
    ASSERT_TRUE(std::filesystem::exists(reserve));
    out_ = Error{};
    EXPECT_FALSE(std::filesystem::exists(reserve)) << "of a run that came to nothing";
}

TEST_F(ResultsFolderTest, WhatAGuestFillsHasALimitThatIsReported) {
    out_ = Error{};
    out_ = ResultsFolder::open(folder_.path(), {20, 60, 20, 20});
    out_->console("0123456789");
    out_->console("this does not fit");
    out_->console("nor this");
    for (int i = 0; i < 3; ++i) take(RecordType::kTrace, R"({"test":"a.b","events":[{"t":1}]})");
    take(RecordType::kKernelLog, R"({"lines":["0123456789","0123456789"]})");
    take(RecordType::kProfile, R"({"name":"0123456789"})");
    EXPECT_EQ(written("console.log"), "0123456789");
    EXPECT_EQ(written("trace.jsonl"), "{\"t\":1,\"test\":\"a.b\"}\n{\"t\":1,\"test\":\"a.b\"}\n");
    EXPECT_EQ(written("kernel.log"), "0123456789\n");
    ASSERT_TRUE(out_->write_reports({}));
    for (const char* report : {"results.json", "results.xml"})
        EXPECT_NE(folder_.read(report).find("console.log, trace.jsonl, profile.jsonl, kernel.log"),
                  std::string::npos)
            << report << folder_.read(report);
}

// The complete log takes the place of its parts, also of what they took of the limit.
TEST_F(ResultsFolderTest, TheCompleteKernelLogHasTheWholeLimit) {
    out_ = Error{};
    out_ = ResultsFolder::open(folder_.path(), {20, 20, 12, 20});
    take(RecordType::kTestStarted, R"({"name":"a.b"})");
    take(RecordType::kKernelLog, R"({"lines":["0123456789"]})");
    take(RecordType::kKernelLog, R"({"lines":["9876543210"],"complete":true})");
    EXPECT_EQ(written("kernel.log"), "9876543210\n");
}

// A folder as root finds it, where others may have been before.
class RootsResults : public testing::Test {
  protected:
    void SetUp() override {
        if (!is_root_of_the_machine()) GTEST_SKIP() << "only root has to take care";
        ::unsetenv("SUDO_UID");
        ::unsetenv("SUDO_GID");
    }
    std::filesystem::path in(const char* place) const { return folder_.path() / place; }
    int refusal_of(const std::filesystem::path& path) const {
        const auto out = ResultsFolder::open(path);
        return out ? 0 : out.error().code;
    }

    TemporaryFolder folder_;
};

TEST_F(RootsResults, GoThroughNoLink) {
    folder_.write("real/x", "");
    std::filesystem::create_directory_symlink(in("real"), in("link"));
    EXPECT_EQ(refusal_of(in("link")), ELOOP);
    EXPECT_EQ(refusal_of(in("link/out")), ELOOP);
    EXPECT_FALSE(std::filesystem::exists(in("real/out")));
    EXPECT_EQ(refusal_of(in("real/new/out")), 0);
}

TEST_F(RootsResults, GoThroughNobodyElsesFolder) {
    folder_.write("theirs/out/x", "");
    ASSERT_EQ(::chown(in("theirs").c_str(), 12345, 0), 0);
    EXPECT_EQ(refusal_of(in("theirs")), EPERM);
    EXPECT_EQ(refusal_of(in("theirs/out")), EPERM);
    EXPECT_EQ(refusal_of(in("theirs/new")), EPERM);
    // Who called sudo is root as well.
    ::setenv("SUDO_UID", "12345", 1);
    EXPECT_EQ(refusal_of(in("theirs/out")), 0);
    ::unsetenv("SUDO_UID");
    folder_.write("open/x", "");
    std::filesystem::permissions(in("open"), std::filesystem::perms::all);
    EXPECT_EQ(refusal_of(in("open/out")), EPERM);
    // As /tmp is: nobody replaces what is another's.
    ASSERT_EQ(::chmod(in("open").c_str(), 01777), 0);
    EXPECT_EQ(refusal_of(in("open/out")), 0);
}

}  // namespace
}  // namespace zcrxlab
