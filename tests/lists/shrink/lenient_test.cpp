// What fuzz and shrink are told of the kernel reaches each run that they start.
#include <gtest/gtest.h>

#include <fstream>

#include "harness/report/report.hpp"
#include "lists/fuzz/fuzz_session.hpp"
#include "lists/shrink/shrinker.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// In place of "zcrxlab run": notes how it was called, and says that its list passed.
constexpr const char* kProgram = R"(#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/arguments"
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=$2 ;;
    esac
    shift
done
mkdir -p "$out"
cp "$here/results.json" "$out"
)";

class LenientTest : public ::testing::TestWithParam<bool> {
  protected:
    LenientTest() {
        std::ofstream(program_) << kProgram;
        fs::permissions(program_, fs::perms::owner_all);
        RunSummary passed;
        passed.tests.push_back({.name = "actions.0000", .status = TestStatus::kPassed});
        std::ofstream(folder_.path() / "results.json") << to_json(passed);
    }
    // Each call has it, or none.
    void expect_as_asked() const {
        std::ifstream arguments(folder_.path() / "arguments");
        size_t calls = 0;
        for (std::string line; std::getline(arguments, line); ++calls)
            EXPECT_EQ(line.find(" --lenient") != std::string::npos, GetParam()) << line;
        EXPECT_GT(calls, 0U);
    }

    TemporaryFolder folder_;
    const fs::path program_ = folder_.path() / "zcrxlab";
};

TEST_P(LenientTest, Shrink) {
    ShrinkOptions options;
    options.self = program_;
    options.vm.out = folder_.path() / "out";
    options.repeats = 1;
    options.lenient = GetParam();
    fs::create_directories(options.vm.out);
    Failure failure;
    failure.list = *actions_from_text("pause ms=1\n");
    const Result<int> done = shrink(options, failure);
    ASSERT_TRUE(done) << done.error().sentence;
    EXPECT_EQ(*done, 1) << "it does not fail";
    expect_as_asked();
}

TEST_P(LenientTest, Fuzz) {
    FuzzOptions options;
    options.self = program_;
    options.vm.out = folder_.path() / "out";
    options.lists = 1;
    options.lenient = GetParam();
    EXPECT_EQ(FuzzSession(options).run(), 0);
    expect_as_asked();
}

INSTANTIATE_TEST_SUITE_P(Asked, LenientTest, ::testing::Bool());

}  // namespace
}  // namespace zcrxlab
