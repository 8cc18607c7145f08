// Leak detector: what it writes to the kernel's file, and what it makes of what stands there.
#include "scenarios/runner/leak_detector.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

// A plain file in place of the kernel's: it tells of the last thing that it was told.
TEST(LeakDetector, ClearsThenScansThenReads) {
    TemporaryFolder folder;
    folder.write("kmemleak", "unreferenced object of the boot\n");
    const LeakDetector leaks(folder.path() / "kmemleak", milliseconds(1));
    EXPECT_EQ(folder.read("kmemleak"), "clear");
    EXPECT_EQ(leaks.look(), "scan\n");
}

TEST(LeakDetector, WaitsUntilMemoryIsOldEnough) {
    TemporaryFolder folder;
    folder.write("kmemleak", "");
    const LeakDetector leaks(folder.path() / "kmemleak", milliseconds(150));
    const auto start = std::chrono::steady_clock::now();
    leaks.look();
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(150));
}

TEST(LeakDetector, AKernelThatCannotTellHasLostNothing) {
    const auto start = std::chrono::steady_clock::now();
    const LeakDetector leaks("/no/such/file", milliseconds(60'000));
    EXPECT_EQ(leaks.look(), "");
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(30'000));
}

// Reading what cannot be read is no news of a leak.
TEST(LeakDetector, AFolderTellsOfNothing) {
    TemporaryFolder folder;
    const LeakDetector leaks(folder.path(), milliseconds(1));
    EXPECT_EQ(leaks.look(), "");
}

}  // namespace
}  // namespace zcrxlab
