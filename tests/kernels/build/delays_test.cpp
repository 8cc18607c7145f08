// The patches of kernel-config/races only add delays, and kernel-config/races/places names each.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "kernels/build/patched_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

const fs::path kKernelConfig = fs::path(ZCRXLAB_SOURCE_DIR) / "kernel-config";
constexpr const char* kHeader = "include/net/page_pool/memory_provider.h";  // has the macros

std::vector<SourcePatch> patches_of_races() {
    const auto patches = patches_of({kKernelConfig / "races.config"});
    EXPECT_TRUE(patches) << patches.error().sentence;
    return patches ? *patches : std::vector<SourcePatch>();
}

// "areas" of "DELAY(areas);", with that macro; empty of another line.
std::string argument(const std::string& line, const std::string& macro) {
    const size_t begin = line.find_first_not_of('\t');
    if (begin == std::string::npos || !line.ends_with(");")) return {};
    const std::string call = line.substr(begin, line.size() - begin - 2);
    return call.starts_with(macro + "(") ? call.substr(macro.size() + 1) : std::string();
}

// What a patch of one source declares, and where it waits: "zcrx.areas".
struct Delays {
    std::set<std::string> declared, waited;
};

void read_delays(const SourcePatch& patch, Delays& delays) {
    const std::string module = fs::path(patch.sources.front()).stem().string() + ".";
    std::ifstream stream(patch.file);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("---") || line.starts_with("+++")) continue;
        EXPECT_FALSE(line.starts_with('-')) << patch.file << ": " << line;
        if (!line.starts_with('+') || line == "+") continue;
        const std::string declared = argument(line.substr(1), "DELAY_PLACE");
        const std::string waited =
            argument(line.substr(1), "DELAY") + argument(line.substr(1), "DELAY_SLEEP");
        EXPECT_FALSE(declared.empty() && waited.empty())
            << patch.file << " adds what is no delay: " << line;
        if (!declared.empty()) delays.declared.insert(module + declared);
        if (!waited.empty()) delays.waited.insert(module + waited);
    }
}

TEST(Delays, AreAllThatThePatchesAddAndAreAllListed) {
    Delays delays;
    for (const SourcePatch& patch : patches_of_races()) {
        ASSERT_EQ(patch.sources.size(), 1U) << patch.file;
        if (patch.sources.front() != kHeader) read_delays(patch, delays);
    }
    EXPECT_FALSE(delays.declared.empty());
    EXPECT_EQ(delays.declared, delays.waited);

    std::set<std::string> listed;
    std::ifstream places(kKernelConfig / "races/places");
    for (std::string line; std::getline(places, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::string name, meets;
        unsigned microseconds = 0;
        EXPECT_TRUE(words >> name >> microseconds >> meets) << line;
        EXPECT_TRUE(listed.insert(name).second) << name << " is listed twice.";
        EXPECT_GT(microseconds, 0U) << line;
        EXPECT_LE(microseconds, 10'000U) << line << " is refused by the kernel.";
    }
    EXPECT_EQ(listed, delays.declared);
}

}  // namespace
}  // namespace zcrxlab
