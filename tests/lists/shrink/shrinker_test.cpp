// What shrink is told of the kernel reaches each run that it starts.
#include "lists/shrink/shrinker.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/report/report.hpp"
#include "tests/fakes/noted_run.hpp"

namespace zcrxlab {
namespace {

TEST(Shrink, ALenientOneHasLenientRuns) {
    RunSummary passed;
    passed.tests.push_back({.name = "actions.0000", .status = TestStatus::kPassed});
    for (const bool lenient : {false, true}) {
        const NotedRun run(to_json(passed));
        ShrinkOptions options;
        options.self = run.program();
        options.vm.out = run.out();
        options.repeats = 1;
        options.lenient = lenient;
        std::filesystem::create_directories(run.out());
        Failure failure;
        failure.list = *actions_from_text("pause ms=1\n");
        const Result<int> done = shrink(options, failure);
        ASSERT_TRUE(done) << done.error().sentence;
        EXPECT_EQ(*done, 1) << "it does not fail";
        EXPECT_FALSE(run.calls().empty());
        for (const std::string& call : run.calls())
            EXPECT_EQ(call.find(" --lenient") != std::string::npos, lenient) << call;
    }
}

}  // namespace
}  // namespace zcrxlab
