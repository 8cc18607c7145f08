// What fuzz is told of the kernel reaches each run that it starts.
#include "lists/fuzz/fuzz_session.hpp"

#include <gtest/gtest.h>

#include "harness/report/report.hpp"
#include "tests/fakes/noted_run.hpp"

namespace zcrxlab {
namespace {

TEST(FuzzSession, ALenientOneHasLenientRuns) {
    RunSummary passed;
    passed.tests.push_back({.name = "actions.0000", .status = TestStatus::kPassed});
    for (const bool lenient : {false, true}) {
        const NotedRun run(to_json(passed));
        FuzzOptions options;
        options.self = run.program();
        options.vm.out = run.out();
        options.lists = 1;
        options.lenient = lenient;
        EXPECT_EQ(FuzzSession(options).run(), 0);
        EXPECT_FALSE(run.calls().empty());
        for (const std::string& call : run.calls())
            EXPECT_EQ(call.find(" --lenient") != std::string::npos, lenient) << call;
    }
}

}  // namespace
}  // namespace zcrxlab
