// From one state to another and back: whatever differs is changed, and nothing else.
#include <gtest/gtest.h>
#include <linux/ethtool.h>

#include "harness/lab/change.hpp"
#include "harness/lab/network.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Changes = std::vector<Change>;
using Lines = std::vector<std::string>;

const DriverRow& any() {
    return driver_row("");
}

// What a run or a scenario that was killed may leave behind.
NicSettings disturbed(NicSettings settings) {
    settings.up = true;
    settings.mtu = 9000;
    settings.addresses = {"198.18.0.1/24", "fd00::1/64"};
    settings.private_flags["report-stats"] = true;
    settings.features["rx-ntuple-filter"] = false;
    settings.channels->rx = settings.channels->tx = 3;
    settings.rings->rx = 512;
    settings.rings->data_split = DataSplit::kEnabled;
    settings.rss->table.assign(128, 0);
    settings.rss->key[0] = std::byte(1);
    settings.rules[5] = std::vector<std::byte>(sizeof(ethtool_rx_flow_spec), std::byte(7));
    return settings;
}

TEST(Changes, NoneWhereNothingDiffers) {
    EXPECT_TRUE(changes_to(gve_settings(), gve_settings(), any()).empty());
    EXPECT_TRUE(changes_back(gve_settings(), gve_settings(), any()).empty());
    EXPECT_TRUE(differences(gve_settings(), gve_settings()).empty());
}

TEST(Changes, AnMtuBelowThatOfEthernetGrows) {
    NicSettings small = gve_settings();
    small.mtu = 1400;
    EXPECT_EQ(ready_for_scenarios(small, any(), 2, 1, {}).mtu, 1500U);
    small.mtu = 9000;
    EXPECT_EQ(ready_for_scenarios(small, any(), 2, 1, {}).mtu, 9000U);
}

TEST(Changes, EveryKindGoesBack) {
    const NicSettings before = gve_settings();
    const Changes back = changes_back(disturbed(before), before, any());
    SetChannels channels;
    channels.channels.rx = channels.channels.tx = 2;
    SetRings rings;
    rings.rings.rx = 1024;
    rings.rings.data_split = DataSplit::kDisabled;
    SetRss rss;
    rss.defaults = true;
    rss.rss.key = before.rss->key;
    EXPECT_EQ(back, (Changes{RemoveAddress{"198.18.0.1/24"}, RemoveAddress{"fd00::1/64"},
                             RemoveRule{5}, rss, SetMtu{1500}, SetLink{false}, rings,
                             RequestFeature{"rx-ntuple-filter", true}, channels,
                             SetPrivateFlag{"report-stats", false}}));
    EXPECT_EQ(differences(before, disturbed(before)).size(), 12U);
}

// Each number of the rings and channels on its own, and told as it is called.
TEST(Changes, EachNumberGoesBackAndIsNamed) {
    NicSettings before = gve_settings();
    before.rings->rx_buf_len = 2048;
    before.rings->hds_thresh = 256;
    before.channels->combined = 1;
    struct Number {
        void (*change)(NicSettings&);
        const char* command;
        const char* difference;
    };
    const Number numbers[] = {{[](NicSettings& s) { s.rings->rx = 7; }, "ethtool -G d rx 1024",
                               "receive ring: 7, and was 1024"},
                              {[](NicSettings& s) { s.rings->tx = 7; }, "ethtool -G d tx 1024",
                               "transmit ring: 7, and was 1024"},
                              {[](NicSettings& s) { s.rings->rx_buf_len = 7; },
                               "ethtool -G d rx-buf-len 2048", "rx-buf-len: 7, and was 2048"},
                              {[](NicSettings& s) { s.rings->hds_thresh = 7; },
                               "ethtool -G d hds-thresh 256", "hds-thresh: 7, and was 256"},
                              {[](NicSettings& s) { s.channels->rx = 7; }, "ethtool -L d rx 2",
                               "receive channels: 7, and was 2"},
                              {[](NicSettings& s) { s.channels->tx = 7; }, "ethtool -L d tx 2",
                               "transmit channels: 7, and was 2"},
                              {[](NicSettings& s) { s.channels->combined = 7; },
                               "ethtool -L d combined 1", "combined channels: 7, and was 1"}};
    for (const Number& number : numbers) {
        NicSettings now = before;
        number.change(now);
        std::vector<std::string> back;
        for (const Change& change : changes_back(now, before, any()))
            back.push_back(command_of(change, "d"));
        EXPECT_EQ(back, (std::vector<std::string>{number.command}));
        EXPECT_EQ(differences(before, now), (std::vector<std::string>{number.difference}));
    }
}

// rx-gro-hw is off while rx-gro is, and is requested all the same.
TEST(Changes, WhatIsRequestedOfAFeatureGoesBack) {
    NicSettings before = gve_settings();
    before.features["rx-gro"] = false;
    before.features["rx-gro-hw"] = {false, true};
    NicSettings made_anew = before;
    made_anew.features["rx-gro"] = true;
    made_anew.features["rx-gro-hw"] = true;
    EXPECT_EQ(changes_back(made_anew, before, any()), (Changes{RequestFeature{"rx-gro", false}}));
    NicSettings forgotten = before;
    forgotten.features["rx-gro-hw"] = false;
    EXPECT_EQ(changes_back(forgotten, before, any()), (Changes{RequestFeature{"rx-gro-hw", true}}));
    EXPECT_EQ(differences(before, forgotten),
              Lines{"feature rx-gro-hw: off, and was off [requested on]"});

    // Whoever gets the NIC ready wants it off even if somebody else turns rx-gro on.
    const DriverRow& bnxt = driver_row("bnxt_en");
    const NicSettings ready = ready_for_scenarios(before, bnxt, 1, 1, {});
    EXPECT_EQ(ready.features.at("rx-gro-hw"), FeatureState(false));
    EXPECT_EQ(changes_to(before, ready, bnxt)[0], Change(RequestFeature{"rx-gro-hw", false}));
    EXPECT_EQ(changes_back(ready, before, bnxt).back(), Change(RequestFeature{"rx-gro-hw", true}));
    // It has to come on where it is needed.
    NicSettings needed = before;
    needed.features["rx-gro-hw"] = true;
    EXPECT_EQ(changes_to(before, needed, any()), (Changes{SetFeature{"rx-gro-hw", true}}));
}

TEST(Changes, ATableByHandIsWrittenBackEntryByEntry) {
    NicSettings before = gve_settings();
    before.rss->table[3] = 0;
    ASSERT_FALSE(before.rss_is_default());
    NicSettings now = before;
    now.rss->table.assign(128, 0);
    const Changes back = changes_back(now, before, any());
    ASSERT_EQ(back.size(), 1U);
    const auto& set = std::get<SetRss>(back[0]);
    EXPECT_FALSE(set.defaults);
    EXPECT_EQ(set.rss.table, before.rss->table);
    EXPECT_TRUE(set.rss.key.empty());
}

TEST(Changes, RulesOfOthersComeBack) {
    NicSettings before = gve_settings();
    const std::vector<std::byte> rule(sizeof(ethtool_rx_flow_spec), std::byte(1));
    before.rules[2] = rule;
    NicSettings now = before;
    now.rules[2][9] = std::byte(2);
    EXPECT_EQ(changes_back(now, before, any()), (Changes{RemoveRule{2}, AddRule{2, rule}}));
    EXPECT_EQ(differences(before, now),
              (std::vector<std::string>{"flow rule 2: changed, and was another"}));
    now.rules.clear();
    EXPECT_EQ(changes_back(now, before, any()), (Changes{AddRule{2, rule}}));
    EXPECT_EQ(differences(before, now),
              (std::vector<std::string>{"flow rule 2: gone, and was there"}));
    EXPECT_EQ(differences(now, before),
              (std::vector<std::string>{"flow rule 2: there, and was not there"}));
}

TEST(Changes, ChannelsOfEachKindWhereTheDriverHasNoCombinedOnes) {
    NicSettings now = gve_settings();
    const NicSettings ready = ready_for_scenarios(now, any(), 4, 1, {});
    EXPECT_EQ(ready.channels->rx, 4U);
    EXPECT_EQ(ready.channels->tx, 4U);
    EXPECT_FALSE(ready.channels->combined);
    // More than enough stays.
    now.channels->rx = now.channels->tx = 16;
    EXPECT_EQ(ready_for_scenarios(now, any(), 4, 1, {}).channels, now.channels);
}

TEST(Changes, ARuleOfAWrongSizeIsNotGivenToTheKernel) {
    const auto done = apply(AddRule{1, {std::byte(0)}}, "lo");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, EINVAL);
    EXPECT_EQ(apply(AddAddress{"192.0.2.1"}, "lo").error().code, EINVAL);
}

TEST(FreeNetwork, IsOneThatNobodyRoutes) {
    const auto first = free_network({});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->local_v4, "198.18.0.1");
    EXPECT_EQ(first->peer()[1], "fd7a:6372:7800:1::2/64");
    Route taken;
    taken.network = address_bytes("198.18.0.0");
    taken.prefix = 23;
    const auto next = free_network({taken});
    ASSERT_TRUE(next);
    EXPECT_EQ(next->local_v4, "198.18.2.1");
    taken.prefix = 15;
    EXPECT_FALSE(free_network({taken}));
    taken.prefix = 0;  // a default route takes nothing
    EXPECT_TRUE(free_network({taken}));
}

}  // namespace
}  // namespace zcrxlab
