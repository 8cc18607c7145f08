// Fragments of a kernel's configuration are read, merged and compared with what came of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kernels/build/fragment.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::vector<ConfigSetting> parsed(const std::string& text, const std::string& name = "a.config") {
    auto settings = parse_fragment(text, name);
    EXPECT_TRUE(settings) << settings.error().sentence;
    return settings ? *settings : std::vector<ConfigSetting>{};
}

TEST(Fragment, ReadsSettingsAndSkipsTheRest) {
    const auto settings = parsed(
        "# The NIC.\n\nCONFIG_GVE=y\n  CONFIG_LOG_BUF_SHIFT=17  \n# CONFIG_VETH is not set\n"
        "CONFIG_CMDLINE=\"a=b c\"\n");
    ASSERT_EQ(settings.size(), 4U);
    EXPECT_EQ(settings[0].symbol, "GVE");
    EXPECT_EQ(settings[0].value, "y");
    EXPECT_EQ(settings[0].place, "a.config:3");
    EXPECT_EQ(settings[1].value, "17");
    EXPECT_EQ(settings[2].symbol, "VETH");
    EXPECT_EQ(settings[2].value, "n");
    EXPECT_EQ(settings[3].value, "\"a=b c\"");
}

TEST(Fragment, NamesTheLineThatIsNone) {
    for (const std::string line :
         {"GVE=y", "CONFIG_GVE", "CONFIG_=y", "CONFIG_GVE=", "CONFIG_G V=y"}) {
        const auto settings = parse_fragment("CONFIG_NET=y\n" + line + "\n", "mine.config");
        ASSERT_FALSE(settings) << line;
        EXPECT_EQ(settings.error().code, EINVAL);
        EXPECT_NE(settings.error().sentence.find("mine.config:2"), std::string::npos) << line;
    }
}

TEST(Fragment, TheLastOneWins) {
    const auto settings =
        merged({parsed("CONFIG_B=y\nCONFIG_A=y\n"), parsed("# CONFIG_B is not set\n", "b.config")});
    EXPECT_EQ(config_text(settings), "CONFIG_A=y\n# CONFIG_B is not set\n");
    EXPECT_EQ(settings[1].place, "b.config:1");
}

TEST(Fragment, TellsWhatDidNotTake) {
    const auto asked = parsed(
        "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=5\n# CONFIG_D is not set\n"
        "# CONFIG_E is not set\n");
    const auto differing = unmet(asked,
                                 "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=6\n"
                                 "CONFIG_E=m\nCONFIG_BB=y\n");
    ASSERT_EQ(differing.size(), 3U);
    EXPECT_EQ(differing[0].asked.symbol, "B");
    EXPECT_EQ(differing[0].got, "n");
    EXPECT_EQ(differing[1].asked.symbol, "C");
    EXPECT_EQ(differing[1].got, "6");
    EXPECT_EQ(differing[2].asked.symbol, "E");
    EXPECT_EQ(differing[2].got, "m");
}

// ---- the fragments of kernel-config/

std::vector<ConfigSetting> fragment_of_ours(const std::string& name) {
    std::ifstream file(std::string(ZCRXLAB_SOURCE_DIR) + "/kernel-config/" + name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_FALSE(text.empty()) << name;
    return parsed(text, name);
}

// What is set twice is set in one place too many.
TEST(FragmentsOfOurs, SetNothingTwice) {
    size_t fragments = 0;
    for (const auto& file :
         fs::directory_iterator(fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config")) {
        if (file.path().extension() != ".config") continue;
        ++fragments;
        std::set<std::string> seen;
        for (const ConfigSetting& setting : fragment_of_ours(file.path().filename()))
            EXPECT_TRUE(seen.insert(setting.symbol).second) << setting.place;
    }
    EXPECT_GT(fragments, 5U);
}

// Tools that merge fragments know no inclusion, so that the settings stand in both.
TEST(FragmentsOfOurs, DebugHasAllOfFaults) {
    const auto debug = config_text(merged({fragment_of_ours("debug.config")}));
    for (const UnmetSetting& missing : unmet(fragment_of_ours("faults.config"), debug))
        ADD_FAILURE() << missing.asked.place << ": CONFIG_" << missing.asked.symbol << "="
                      << missing.asked.value << " is " << missing.got << " in debug.config";
}

}  // namespace
}  // namespace zcrxlab
