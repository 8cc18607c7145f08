// From what the drivers of real NICs answer over netlink to the plan: the messages are written from
// what bnxt_en and mlx5_core of Linux 7.3 put into them.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/lab/change.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Bytes = std::vector<std::byte>;
using Lines = std::vector<std::string>;

// A netlink attribute: length, type, payload, and padding to four bytes.
Bytes attribute(uint16_t type, const Bytes& payload) {
    const uint16_t length = static_cast<uint16_t>(4 + payload.size());
    Bytes bytes(4);
    std::memcpy(bytes.data(), &length, sizeof length);
    std::memcpy(bytes.data() + 2, &type, sizeof type);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
}

Bytes number(uint16_t type, uint32_t value) {
    Bytes payload(sizeof value);
    std::memcpy(payload.data(), &value, sizeof value);
    return attribute(type, payload);
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

// struct genlmsghdr in front.
NetlinkMessage message(const Bytes& attributes) {
    return {0x15, 0, 5, joined({Bytes(4), attributes})};
}

// ETHTOOL_A_BITSET_BITS with a name in each ETHTOOL_A_BITSET_BIT, and a value in those that are on.
Bytes bitset(uint16_t type, std::initializer_list<std::pair<const char*, bool>> bits) {
    Bytes list;
    for (const auto& [name, on] : bits) {
        const auto* first = reinterpret_cast<const std::byte*>(name);
        Bytes bit = attribute(2, Bytes(first, first + std::strlen(name) + 1));
        if (on) bit = joined({bit, attribute(3, {})});
        list = joined({list, attribute(1, bit)});
    }
    return attribute(type, attribute(3, list));
}

// ETHTOOL_A_RINGS_*: 2 rx-max, 4 jumbo-max, 5 tx-max, 6 rx, 8 jumbo, 9 tx, 11 tcp-data-split,
// 17 hds-thresh, 18 hds-thresh-max.
NetlinkMessage bnxt_rings() {
    return message(
        joined({number(2, 2047), number(4, 8191), number(5, 2047), number(6, 511), number(8, 2044),
                number(9, 511), attribute(11, {std::byte(2)}), number(17, 704), number(18, 1023)}));
}

// ETHTOOL_A_CHANNELS_*: 2 rx-max, 3 tx-max, 5 combined-max, 6 rx, 7 tx, 9 combined.
NetlinkMessage bnxt_channels() {
    return message(joined(
        {number(2, 37), number(3, 37), number(5, 74), number(6, 0), number(7, 0), number(9, 8)}));
}

// ETHTOOL_A_FEATURES_*: 2 hw, 3 wanted, 4 active. What cannot be switched is in the last only.
NetlinkMessage bnxt_features() {
    return message(joined({bitset(2, {{"rx-gro-hw", true},
                                      {"rx-lro", true},
                                      {"rx-ntuple-filter", true},
                                      {"tx-lockless", false}}),
                           bitset(3, {{"rx-gro-hw", true}}),
                           bitset(4, {{"rx-gro-hw", true}, {"tx-lockless", true}})}));
}

NicSettings settings_of(const NetlinkMessage& rings, const NetlinkMessage& channels,
                        const NetlinkMessage& features) {
    DriverAnswers answers;
    answers.rings = *decode_rings(rings);
    answers.channels = *decode_channels(channels);
    answers.features = *decode_features(features);
    answers.rss.emplace();
    for (uint32_t i = 0; i < 128; ++i)
        answers.rss->table.push_back(i % answers.channels->receive());
    NicSettings settings;
    settings.mtu = 1500;
    take_settings(std::move(answers), settings);
    return settings;
}

Lines plan(const NicSettings& now, const char* driver) {
    Lines lines;
    const NicSettings ready = ready_for_scenarios(now, driver_row(driver), 4, 1, {"198.18.0.1/24"});
    for (const Change& change : changes_to(now, ready, driver_row(driver)))
        lines.push_back(command_of(change, "d"));
    return lines;
}

TEST(Answers, OfBnxtLeadToItsPlan) {
    const NicSettings now = settings_of(bnxt_rings(), bnxt_channels(), bnxt_features());
    // The largest sizes are no settings, and what cannot be switched is none either.
    EXPECT_FALSE(now.rings->rx_max);
    EXPECT_FALSE(now.channels->combined_max);
    EXPECT_EQ(now.features.size(), 3U);
    EXPECT_EQ(now.rings->hds_thresh, 704U);
    EXPECT_EQ(plan(now, "bnxt_en"),
              (Lines{"ethtool -K d rx-gro-hw off", "ethtool -K d rx-ntuple-filter on",
                     "ethtool -G d rx 64 tcp-data-split on hds-thresh 0", "ip link set d up",
                     "ethtool -X d equal 1", "ip address add 198.18.0.1/24 dev d"}));
    // All of it comes back through the journal's text, too.
    const auto again = settings_from_json(to_json(now));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, now);
}

TEST(Answers, OfMlx5LeadToItsPlan) {
    const NetlinkMessage rings =
        message(joined({number(2, 8192), number(5, 8192), number(6, 1024), number(9, 1024),
                        attribute(11, {std::byte(1)}), number(17, 0), number(18, 0)}));
    const NetlinkMessage channels = message(joined({number(5, 63), number(9, 2)}));
    const NetlinkMessage features = message(
        joined({bitset(2, {{"rx-gro-hw", true}, {"rx-lro", true}, {"rx-ntuple-filter", true}}),
                bitset(3, {{"rx-lro", true}}), bitset(4, {{"rx-lro", true}})}));
    NicSettings now = settings_of(rings, channels, features);
    now.private_flags = mlx5_settings().private_flags;
    EXPECT_EQ(
        plan(now, "mlx5_core"),
        (Lines{"ethtool --set-priv-flags d rx_striding_rq on",
               "ethtool --set-priv-flags d rx_cqe_compress off", "ethtool -L d combined 4",
               "ethtool -K d rx-lro off", "ethtool -K d rx-gro-hw on",
               "ethtool -K d rx-ntuple-filter on", "ethtool -G d tcp-data-split on",
               "ip link set d up", "ethtool -X d equal 1", "ip address add 198.18.0.1/24 dev d"}));
}

TEST(Answers, ADriverThatAnswersNothingHasNothingToSet) {
    NicSettings settings;
    take_settings({}, settings);
    EXPECT_EQ(settings, NicSettings());
}

}  // namespace
}  // namespace zcrxlab
