// Each driver's row leads to the commands of its manual, in its order, and back.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/lab/change.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Lines = std::vector<std::string>;

Lines commands(const std::vector<Change>& changes) {
    Lines lines;
    for (const Change& change : changes) lines.push_back(command_of(change, "d"));
    return lines;
}

NicSettings ready(const NicSettings& now, const char* driver) {
    return ready_for_scenarios(now, driver_row(driver), 4, 1, {"198.18.0.1/24"});
}

TEST(DriverTable, AnUnknownDriverHasTheLastRow) {
    EXPECT_TRUE(driver_row("i40e").driver.empty());
    EXPECT_TRUE(driver_row("").driver.empty());
    EXPECT_EQ(&driver_row("i40e"), &driver_rows().back());
    for (const DriverRow& row : driver_rows()) EXPECT_EQ(row.order.size(), 8U) << row.driver;
}

TEST(DriverTable, Bnxt) {
    const NicSettings before = bnxt_settings();
    const NicSettings after = ready(before, "bnxt_en");
    EXPECT_EQ(commands(changes_to(before, after, driver_row("bnxt_en"))),
              (Lines{"ethtool -K d rx-gro-hw off", "ethtool -K d rx-ntuple-filter on",
                     // One request, and the split in it although the driver says that it is on.
                     "ethtool -G d rx 64 tcp-data-split on hds-thresh 0", "ip link set d up",
                     "ethtool -X d equal 1", "ip address add 198.18.0.1/24 dev d"}));
    EXPECT_EQ(
        commands(changes_back(after, before, driver_row("bnxt_en"))),
        (Lines{"ip address del 198.18.0.1/24 dev d", "ethtool -X d default", "ip link set d down",
               // "off" is refused.
               "ethtool -G d rx 511 tcp-data-split auto hds-thresh 704",
               "ethtool -K d rx-ntuple-filter off", "ethtool -K d rx-gro-hw on"}));
}

// A driver that was bound again knows of no wish, and says that the split is off.
TEST(DriverTable, ABnxtThatWasAskedToSplitIsAskedAgainWhenAllElseIsAsItWas) {
    const DriverRow& row = driver_row("bnxt_en");
    const NicSettings before = bnxt_settings();
    NicSettings now = before;
    now.rings->data_split = DataSplit::kDisabled;
    EXPECT_EQ(commands(changes_back(now, before, row)), Lines{"ethtool -G d tcp-data-split on"});
    // These may bring it by themselves.
    now.mtu = before.mtu - 100;
    EXPECT_EQ(commands(changes_back(now, before, row)),
              Lines{"ip link set d mtu " + std::to_string(before.mtu)});
    now = ready(before, "bnxt_en");
    now.rings->data_split = DataSplit::kDisabled;
    const Lines back = commands(changes_back(now, before, row));
    EXPECT_TRUE(std::ranges::none_of(
        back, [](const std::string& line) { return line.find("tcp-data-split on") != line.npos; }));
    // And the other way round.
    NicSettings without = before;
    without.rings->data_split = DataSplit::kDisabled;
    EXPECT_EQ(commands(changes_back(before, without, row)),
              Lines{"ethtool -G d tcp-data-split auto"});
    EXPECT_TRUE(changes_back(before, before, row).empty());
}

TEST(DriverTable, Mlx5) {
    const NicSettings before = mlx5_settings();
    const NicSettings after = ready(before, "mlx5_core");
    EXPECT_EQ(
        commands(changes_to(before, after, driver_row("mlx5_core"))),
        (Lines{"ethtool --set-priv-flags d rx_striding_rq on",
               "ethtool --set-priv-flags d rx_cqe_compress off", "ethtool -L d combined 4",
               "ethtool -K d rx-lro off", "ethtool -K d rx-gro-hw on",
               "ethtool -K d rx-ntuple-filter on", "ethtool -G d tcp-data-split on",
               "ip link set d up", "ethtool -X d equal 1", "ip address add 198.18.0.1/24 dev d"}));
    EXPECT_EQ(
        commands(changes_back(after, before, driver_row("mlx5_core"))),
        (Lines{"ip address del 198.18.0.1/24 dev d", "ethtool -X d default", "ip link set d down",
               // While GRO in hardware is on; without it the split would be refused.
               "ethtool -G d tcp-data-split off", "ethtool -K d rx-ntuple-filter off",
               "ethtool -K d rx-gro-hw off", "ethtool -K d rx-lro on", "ethtool -L d combined 2",
               "ethtool --set-priv-flags d rx_cqe_compress on",
               "ethtool --set-priv-flags d rx_striding_rq off"}));
}

TEST(DriverTable, BnxtDoesNotAggregateInHardwareEither) {
    NicSettings before = bnxt_settings();
    before.features["rx-lro"] = true;
    const NicSettings after = ready(before, "bnxt_en");
    EXPECT_EQ(commands(changes_to(before, after, driver_row("bnxt_en")))[0],
              "ethtool -K d rx-lro off");
    EXPECT_EQ(commands(changes_back(after, before, driver_row("bnxt_en"))).back(),
              "ethtool -K d rx-lro on");
}

// Without it no flow can be steered to a queue.
TEST(DriverTable, EveryDriverIsAskedForFlowRules) {
    for (const DriverRow& row : driver_rows()) {
        NicSettings before = gve_settings();
        before.features = {{"rx-ntuple-filter", false}};
        const NicSettings after = ready_for_scenarios(before, row, 4, 1, {});
        EXPECT_TRUE(after.features.at("rx-ntuple-filter").on) << row.driver;
        const Lines back = commands(changes_back(after, before, row));
        EXPECT_NE(std::find(back.begin(), back.end(), "ethtool -K d rx-ntuple-filter off"),
                  back.end())
            << row.driver;
    }
}

TEST(DriverTable, AThresholdThatIsFixedStays) {
    for (const char* driver : {"mlx5_core", "gve"}) {
        NicSettings before = gve_settings();
        before.rings->hds_thresh = 256;
        EXPECT_EQ(ready(before, driver).rings->hds_thresh, 256U) << driver;
    }
    for (const char* driver : {"bnxt_en", "fbnic", ""}) {
        NicSettings before = gve_settings();
        before.rings->hds_thresh = 256;
        EXPECT_EQ(ready(before, driver).rings->hds_thresh, 0U) << driver;
    }
}

TEST(DriverTable, VendorsOfOneDriver) {
    const std::pair<const char*, std::string_view> drivers[] = {
        {"0x14e4", "bnxt_en"}, {"0x15b3", "mlx5_core"}, {"0x1ae0", "gve"},
        {"0x1d9b", "fbnic"},   {"0x8086", ""},          {"", ""}};
    for (const auto& [vendor, driver] : drivers)
        EXPECT_EQ(driver_row_of_vendor(vendor).driver, driver) << vendor;
}

TEST(DriverTable, GveTakesNoThreshold) {
    const NicSettings before = gve_settings();
    EXPECT_EQ(commands(changes_to(before, ready(before, "gve"), driver_row("gve"))),
              (Lines{"ethtool -L d rx 4 tx 4", "ethtool -G d tcp-data-split on", "ip link set d up",
                     "ethtool -X d equal 1", "ip address add 198.18.0.1/24 dev d"}));
    EXPECT_EQ(driver_row("gve").queues_kept, 1U);
}

TEST(DriverTable, FbnicIsAskedToSplitAlthoughItAlwaysDoes) {
    NicSettings before = gve_settings();
    before.rings->data_split = DataSplit::kEnabled;
    before.rings->hds_thresh = 1536;
    const NicSettings after = ready(before, "fbnic");
    EXPECT_EQ(commands(changes_to(before, after, driver_row("fbnic")))[1],
              "ethtool -G d tcp-data-split on hds-thresh 0");
    const Lines back = commands(changes_back(after, before, driver_row("fbnic")));
    // "off" is refused.
    EXPECT_NE(
        std::find(back.begin(), back.end(), "ethtool -G d tcp-data-split auto hds-thresh 1536"),
        back.end());
}

TEST(DriverTable, OfAnUnknownDriverOnlyWhatItHasIsSet) {
    NicSettings bare;
    bare.mtu = 1500;
    const NicSettings after = ready(bare, "unheard_of");
    EXPECT_TRUE(after.features.empty());
    EXPECT_EQ(commands(changes_to(bare, after, driver_row("unheard_of"))),
              (Lines{"ip link set d up", "ip address add 198.18.0.1/24 dev d"}));
}

}  // namespace
}  // namespace zcrxlab
