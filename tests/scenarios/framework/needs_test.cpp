// What is missing is found and told with a command.
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/framework/needs.hpp"

namespace zcrxlab {
namespace {

Surroundings everything() {
    Surroundings there;
    there.target = "gve";
    there.abilities = {true, true, true, true, true, true, true, 4};
    there.endpoints.interface = "eth1";
    there.endpoints.local_v4 = there.endpoints.peer_v4 = "10.0.0.1";
    there.endpoints.local_v6 = there.endpoints.peer_v6 = "fd00::1";
    for (const FeatureText& text : feature_texts()) there.features.push_back(text.feature);
    there.memory_available = uint64_t{1} << 30;
    there.root = true;
    there.release = "6.14.0";  // promises nothing
    return there;
}

Surroundings without_device() {
    Surroundings there = everything();
    there.target = "nodev";
    there.abilities = {};
    return there;
}

// The sentence; empty if nothing is missing.
std::string missing(const Needs& needs, const Surroundings& there) {
    const std::optional<Missing> found = what_is_missing(needs, there);
    return found ? found->sentence : "";
}

TEST(Needs, NothingIsMissingWhereEverythingIs) {
    EXPECT_EQ(missing(Needs{}, everything()), "");
    const Needs all{.where = Where::kDevice,
                    .dma_log = true,
                    .faults = true,
                    .flow_rules = true,
                    .two_families = true,
                    .queues = 3,
                    .memory = 1 << 20,
                    .features = {Feature::kEvents, Feature::kAddArea}};
    EXPECT_EQ(missing(all, everything()), "");
    EXPECT_EQ(missing(Needs{}, without_device()), "");
    Surroundings refusing = everything();
    refusing.abilities.zero_copy = false;
    refusing.why_no_zero_copy = "no queue API";
    refusing.refusal = EOPNOTSUPP;
    EXPECT_EQ(missing(Needs{.where = Where::kRefusing}, refusing), "");
    EXPECT_EQ(missing(Needs{.where = Where::kNodev}, refusing), "");
}

struct Case {
    const char* name;
    Needs needs;
    void (*take_away)(Surroundings&);
    const char* says;     // part of the sentence
    const char* command;  // and of what to type
};

class WhatIsMissing : public testing::TestWithParam<Case> {};

TEST_P(WhatIsMissing, IsToldWithACommand) {
    Surroundings there = everything();
    GetParam().take_away(there);
    const std::optional<Missing> found = what_is_missing(GetParam().needs, there);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->promised);
    const std::string& sentence = found->sentence;
    EXPECT_NE(sentence.find(GetParam().says), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(GetParam().command), std::string::npos) << sentence;
}

const Case kCases[] = {
    {"Root", {}, [](Surroundings& s) { s.root = false; }, "needs root", "sudo"},
    {"Device",
     {.where = Where::kDevice},
     [](Surroundings& s) { s.abilities.zero_copy = false; },
     "needs a NIC",
     "zcrxlab run --nic gve"},
    {"Driver",
     {},
     [](Surroundings& s) { s.why_no_zero_copy = "queue 1 of eth1: No data available"; },
     "(queue 1 of eth1: No data available)",
     "--kernel 6.18"},
    {"NoDevice",
     {.where = Where::kNodev},
     [](Surroundings&) {},
     "without a device",
     "zcrxlab run --nic nodev"},
    {"Log",
     {.dma_log = true},
     [](Surroundings& s) { s.abilities.dma_log = false; },
     "tells what it wrote",
     "--nic gve"},
    {"Faults",
     {.faults = true},
     [](Surroundings& s) { s.abilities.faults = false; },
     "fault rules",
     "--nic gve"},
    {"Rules",
     {.flow_rules = true},
     [](Surroundings& s) { s.abilities.flow_rules = false; },
     "flow rules",
     "--nic gve"},
    {"Outages",
     {.outages = true},
     [](Surroundings& s) { s.abilities.outages = false; },
     "loses its link",
     "--nic gve"},
    {"StockDriver",
     {},
     [](Surroundings& s) {
         s.target = "netdevsim-stock";
         s.why_no_zero_copy = "no queue API";
     },
     "(no queue API)",
     "--nic netdevsim"},
    {"Refusing",
     {.where = Where::kRefusing},
     [](Surroundings&) {},
     "has no queue for zero-copy receive",
     "--nic netdevsim-stock"},
    {"RefusingInAnotherWay",
     {.where = Where::kRefusing},
     [](Surroundings& s) {
         s.why_no_zero_copy = "no data";
         s.refusal = ENODATA;
     },
     "has no queue for zero-copy receive",
     "--nic netdevsim-stock"},
    {"Split",
     {.where = Where::kDevice},
     [](Surroundings& s) { s.abilities.header_split = false; },
     "header split",
     "ethtool -g eth1"},
    {"Queues",
     {.queues = 4},
     [](Surroundings&) {},
     "needs 5 receive queues",
     "ethtool -L eth1 combined 5"},
    {"Families",
     {.two_families = true},
     [](Surroundings& s) { s.endpoints.local_v6.clear(); },
     "IPv6",
     "LOCAL_V6"},
    {"Kernel",
     {.features = {Feature::kEvents}},
     [](Surroundings& s) {
         s.features = {Feature::kZcrx, Feature::kNodev};
     },
     "ARM_EVENT",
     "--kernel 7.2"},
    {"Zcrx", {}, [](Surroundings& s) { s.features.clear(); }, "zero-copy receive", "--kernel 6.15"},
    {"Nodev",
     {},
     [](Surroundings& s) {
         s.abilities.zero_copy = false;
         s.features = {Feature::kZcrx};
     },
     "ZCRX_REG_NODEV",
     "--kernel 7.1"},
    {"Memory",
     {.memory = uint64_t{2} << 30},
     [](Surroundings&) {},
     "2048 MiB of free memory",
     "--memory"},
};
INSTANTIATE_TEST_SUITE_P(Needs, WhatIsMissing, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

struct Promise {
    const char* release;
    Feature feature;
    bool promised;
};

TEST(Needs, AFeatureIsPromisedFromItsSeriesOn) {
    for (const Promise& promise :
         {Promise{"7.2.12+deb13-cloud-amd64", Feature::kEvents, true},
          Promise{"7.2-rc1", Feature::kEvents, true}, Promise{"7.1.30", Feature::kEvents, false},
          Promise{"7.10.0", Feature::kEvents, true}, Promise{"8.0", Feature::kEvents, true},
          Promise{"6.30.0", Feature::kEvents, false}, Promise{"7.3.4", Feature::kAddArea, true},
          Promise{"7.2.99", Feature::kAddArea, false}, Promise{"7.3.4", Feature::kNodev, true},
          // The configuration decides, in every version.
          Promise{"7.3.4", Feature::kFailNth, false},
          Promise{"7.3.4", Feature::kFailPagePool, false},
          Promise{"7.3.4", Feature::kMemoryCgroup, false},
          // Nobody's numbers promise nothing.
          Promise{"next-20261124", Feature::kEvents, false}, Promise{"7", Feature::kEvents, false},
          Promise{"", Feature::kEvents, false}}) {
        Surroundings there = everything();
        there.release = promise.release;
        std::erase(there.features, promise.feature);
        const std::optional<Missing> found =
            what_is_missing(Needs{.features = {promise.feature}}, there);
        ASSERT_TRUE(found) << promise.release;
        EXPECT_EQ(found->promised, promise.promised) << promise.release << ": " << found->sentence;
    }
}

TEST(Needs, APromiseThatIsNotKeptIsToldWithItsSeries) {
    Surroundings there = everything();
    there.release = "7.3.4";
    std::erase(there.features, Feature::kEvents);
    EXPECT_EQ(missing(Needs{.features = {Feature::kEvents}}, there),
              "needs a kernel that has events and statistics (ZCRX_CTRL_ARM_EVENT); that is there "
              "since 7.2, and this kernel, 7.3.4, does not have it; --lenient skips what needs it");
}

TEST(Needs, ADriverThatCouldAndNowCannotIsNoReasonToSkip) {
    Surroundings there = everything();
    there.why_no_zero_copy = "queue 1 of eth1: Operation not supported";
    there.refusal = EOPNOTSUPP;
    there.release = "6.17.9";
    EXPECT_FALSE(what_is_missing(Needs{}, there)->promised);
    there.release = "6.18.1";
    EXPECT_TRUE(what_is_missing(Needs{}, there)->promised);
    // One of which nobody knows since when it can, and one that never could.
    for (const char* target : {"nic", "netdevsim-stock"}) {
        there.target = target;
        EXPECT_FALSE(what_is_missing(Needs{}, there)->promised) << target;
    }
}

TEST(Needs, FeatureTextsStandAtTheirFeature) {
    for (const FeatureText& text : feature_texts()) EXPECT_EQ(&text_of(text.feature), &text);
}

TEST(Needs, WordsNameWhatDiffers) {
    EXPECT_TRUE(words_for(Needs{}).empty());
    const std::vector<std::string> words =
        words_for(Needs{.where = Where::kDevice, .queues = 2, .features = {Feature::kExport}});
    EXPECT_EQ(words, (std::vector<std::string>{"device", "2 queues", "export"}));
}

}  // namespace
}  // namespace zcrxlab
