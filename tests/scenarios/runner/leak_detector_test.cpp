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
    EXPECT_TRUE(leaks.look().empty());
    EXPECT_EQ(folder.read("kmemleak"), "scan");
}

TEST(LostObjects, AreToldApartAndNeverInPart) {
    const std::string one =
        "unreferenced object 0xff11000007210600 (size 192):\n  comm \"swapper/0\"\n"
        "    gve_adminq_alloc+0x38/0x8f0\n";
    const std::string other = "unreferenced object 0xff110000084fd280 (size 32):\n    probe+0x1\n";
    EXPECT_TRUE(lost_objects("").empty());
    EXPECT_TRUE(lost_objects("scan\n").empty());
    EXPECT_EQ(lost_objects(one + other), (std::vector<std::string>{one, other}));
    // Without the newline of a file that was cut off.
    EXPECT_EQ(lost_objects("unreferenced object 0x1"),
              std::vector<std::string>{"unreferenced object 0x1\n"});

    std::string many;
    for (int i = 0; i < 1000; ++i) many += one;
    const auto kept = lost_objects(many);
    EXPECT_GT(kept.size(), 10U);
    EXPECT_LT(kept.size(), 1000U);
    EXPECT_EQ(kept.back(), one);
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
    EXPECT_TRUE(leaks.look().empty());
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(30'000));
}

// Reading what cannot be read is no news of a leak.
TEST(LeakDetector, AFolderTellsOfNothing) {
    TemporaryFolder folder;
    const LeakDetector leaks(folder.path(), milliseconds(1));
    EXPECT_TRUE(leaks.look().empty());
}

}  // namespace
}  // namespace zcrxlab
