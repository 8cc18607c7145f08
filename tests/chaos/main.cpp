// chaos: runs the cases that are linked into it, a few lines for each, and a sum.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/program.hpp"
#include "tests/chaos/sandbox.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// Says what GoogleTest's own printer would, only of what failed.
class Failures : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.failed()) fmt::print("{}\n", part.message());
        if (part.skipped()) fmt::print("{}\n", part.message());
    }
};

// The default kernel and QEMU, and nothing else: each case that damages a cache copies it.
bool fill(const fs::path& cache) {
    ::setenv("ZCRXLAB_CACHE", cache.c_str(), 1);
    const auto fetched = run_program({(chaos_order().programs / "zcrx-fetch").string()});
    return fetched && fetched->exit_code == 0;
}

int run(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc != 3) {
        fmt::print(stderr, "usage: chaos PROGRAMS CACHE   (both folders; ci/chaos starts this)\n");
        return 64;
    }
    chaos_order() = {fs::absolute(argv[1]), fs::absolute(argv[2])};
    // Small disks are ours alone, and go with us.
    if (::unshare(CLONE_NEWNS) == 0) ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (!fill(chaos_order().cache)) {
        fmt::print(stderr, "chaos: The cache {} could not be filled.\n", argv[2]);
        return 64;
    }
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
    const int failed = RUN_ALL_TESTS();
    const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
    fmt::print("\n{} passed, {} failed", tests.successful_test_count(), tests.failed_test_count());
    if (tests.skipped_test_count() != 0) fmt::print(", {} skipped", tests.skipped_test_count());
    fmt::print(" in {:.0f} s\n", static_cast<double>(tests.elapsed_time()) / 1000);
    return failed != 0 || tests.successful_test_count() == 0 ? 1 : 0;
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    return zcrxlab::run(argc, argv);
}
