// No scenario has a bound of time that is too short for a slow machine, and such are noticed.
#include "tests/scenarios/chapters/bounds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

size_t complaints(std::string_view content) {
    return complaints_about_bounds("x.cpp", content, {}).size();
}

TEST(Bounds, OfScenariosAreScaledOrSayWhyNot) {
    const fs::path root = ZCRXLAB_SOURCE_DIR;
    size_t files = 0, fixed = 0;
    for (const char* room : {"scenarios/chapters", "scenarios/framework", "scenarios/runner",
                             "harness/net", "harness/targets"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string content{std::istreambuf_iterator<char>(file), {}};
            const std::string name = fs::relative(entry.path(), root);
            EXPECT_EQ(joined(complaints_about_bounds(name, content, fixed_times())), "");
            EXPECT_EQ(joined(complaints_about_fixed_times(name, content, fixed_times())), "");
            ++files;
            for (const FixedTime& time : fixed_times()) fixed += time.file == name ? 1 : 0;
        }
    }
    EXPECT_GT(files, 60U) << "the tree was not found at " << root;
    EXPECT_EQ(fixed, fixed_times().size()) << "a fixed time names a file that is not there";
}

TEST(Bounds, ThatAreTheSameEverywhereAreNoticed) {
    EXPECT_EQ(complaints("rx.run(1s);"), 1U);
    EXPECT_EQ(complaints("sleep_for(20ms);\nwait(std::chrono::seconds(5));"), 2U);
    EXPECT_EQ(complaints("wait(std::chrono::milliseconds(1'000));"), 1U);
    EXPECT_EQ(complaints("const auto until = Clock::now() + 5s;"), 1U);
    EXPECT_EQ(complaints("constexpr auto kSilence = 300ms;\nif (pause > kSilence) return;"), 1U);
    EXPECT_EQ(complaints("constexpr std::chrono::milliseconds kLong{300};\nrun(kLong);"), 1U);
    EXPECT_EQ(complaints("std::chrono::milliseconds patience{300};"), 1U);
    EXPECT_EQ(complaints("::poll(&waiting, 1, 50)"), 1U);
    EXPECT_EQ(complaints("constexpr int kPatience = 5000;\n::poll(&waiting, 1, kPatience)"), 1U);
    EXPECT_EQ(complaints("EXPECT_EQ(::poll(all.data(), all.size(), 5000), 1);"), 1U);
    EXPECT_EQ(complaints("const timeval bound{.tv_sec = 5, .tv_usec = 0};"), 1U);
    EXPECT_EQ(complaints("usleep(100);"), 1U);
    EXPECT_EQ(joined(complaints_about_bounds("a/b.cpp", "\nrun(1s);", {})),
              "a/b.cpp:2: a time that is the same on every machine; use scene.scaled(), wait_for() "
              "or time_left(), or say in tests/scenarios/chapters why not\n");
}

TEST(Bounds, ThatAreScaledAreLeftAlone) {
    EXPECT_EQ(complaints("run(scene.scaled(1s));"), 0U);
    EXPECT_EQ(complaints("Terms(Needs{}).within(20s)"), 0U);
    EXPECT_EQ(complaints("Terms(Needs{}).within(std::chrono::seconds(20)).claims({})"), 0U);
    EXPECT_EQ(complaints("run(time_left() / 2); if (time_left() == 0ms) return;"), 0U);
    EXPECT_EQ(complaints("constexpr auto kSilence = 300ms;\nrun(scene.scaled(kSilence));"), 0U);
    EXPECT_EQ(complaints("constexpr milliseconds kLong{300};\nrun(scene.scaled(kLong));"), 0U);
    EXPECT_EQ(complaints("::poll(&waiting, 1, 0); ::poll(&waiting, 1, scene.milliseconds_left())"),
              0U);
    EXPECT_EQ(complaints("EXPECT_EQ(::poll(all.data(), 2, scene.milliseconds_left()), 1);"), 0U);
    EXPECT_EQ(complaints("// within 5s\nnote(\"after 5s\"); x = 0x5s1; y = 4_KiB;"), 0U);
}

TEST(Bounds, MayBeFixedForAReason) {
    const FixedTime fixed[] = {{"x.cpp", "sleep_for(1ms)", "a pause"}};
    EXPECT_EQ(complaints_about_bounds("x.cpp", "sleep_for(1ms);", fixed).size(), 0U);
    EXPECT_EQ(complaints_about_bounds("x.cpp", "sleep_for(2ms);", fixed).size(), 1U);
    EXPECT_EQ(complaints_about_bounds("y.cpp", "sleep_for(1ms);", fixed).size(), 1U);
    EXPECT_EQ(complaints_about_fixed_times("x.cpp", "sleep_for(1ms);", fixed).size(), 0U);
    EXPECT_EQ(complaints_about_fixed_times("x.cpp", "nothing", fixed).size(), 1U);
}

}  // namespace
}  // namespace zcrxlab
