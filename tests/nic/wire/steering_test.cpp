// Tests of steering and of its hash against the test vectors of Microsoft's RSS specification.
#include <gtest/gtest.h>

#include <set>

#include "nic/wire/steering.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

struct Vector4 {
    uint32_t destination;
    unsigned destination_port;
    uint32_t source;
    unsigned source_port;
    uint32_t addresses_only;
    uint32_t with_ports;
};

constexpr uint32_t ip(unsigned a, unsigned b, unsigned c, unsigned d) {
    return a << 24 | b << 16 | c << 8 | d;
}

// "Verifying the RSS Hash Calculation", IPv4.
constexpr Vector4 kVectors4[] = {
    {ip(161, 142, 100, 80), 1766, ip(66, 9, 149, 187), 2794, 0x323e8fc2, 0x51ccc178},
    {ip(65, 69, 140, 83), 4739, ip(199, 92, 111, 2), 14230, 0xd718262a, 0xc626b0ea},
    {ip(12, 22, 207, 184), 38024, ip(24, 19, 198, 95), 12898, 0xd2d0a5de, 0x5c2b394a},
    {ip(209, 142, 163, 6), 2217, ip(38, 27, 205, 30), 48228, 0x82989176, 0xafc7327f},
    {ip(202, 188, 127, 2), 1303, ip(153, 39, 163, 191), 44251, 0x5d1809c5, 0x10e828a2},
};

ParsedHeaders headers4(const Vector4& vector, L4 l4) {
    ParsedHeaders h;
    h.l3 = L3::kIpv4;
    h.l4 = l4;
    for (unsigned i = 0; i < 4; ++i) {
        h.source[i] = static_cast<uint8_t>(vector.source >> (24 - 8 * i));
        h.destination[i] = static_cast<uint8_t>(vector.destination >> (24 - 8 * i));
    }
    h.source_port = static_cast<uint16_t>(vector.source_port);
    h.destination_port = static_cast<uint16_t>(vector.destination_port);
    return h;
}

ReceiveSettings settings_of(uint16_t queues) {
    ReceiveSettings settings;
    settings.queues = queues;
    return settings;
}

TEST(Toeplitz, MicrosoftVectorsIpv4) {
    Steering steering;
    steering.set(settings_of(1));
    for (const Vector4& vector : kVectors4) {
        Steered tcp = steering.steer(headers4(vector, L4::kTcp));
        EXPECT_EQ(tcp.rss_hash, vector.with_ports);
        EXPECT_EQ(tcp.rss_type, RssType::kTcp4);
        Steered udp = steering.steer(headers4(vector, L4::kUdp));
        EXPECT_EQ(udp.rss_hash, vector.with_ports);
        EXPECT_EQ(udp.rss_type, RssType::kUdp4);
        for (L4 l4 : {L4::kOther, L4::kFragment, L4::kIcmp}) {
            Steered other = steering.steer(headers4(vector, l4));
            EXPECT_EQ(other.rss_hash, vector.addresses_only);
            EXPECT_EQ(other.rss_type, RssType::kIpv4);
        }
    }
}

TEST(Toeplitz, MicrosoftVectorsIpv6) {
    struct {
        std::array<uint8_t, 16> destination;
        unsigned destination_port;
        std::array<uint8_t, 16> source;
        unsigned source_port;
        uint32_t addresses_only;
        uint32_t with_ports;
    } vectors[] = {
        // 3ffe:2501:200:3::1, 3ffe:2501:200:1fff::7
        {{0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, 0, 0, 0, 0, 0, 0, 0, 1},
         1766,
         {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0, 7},
         2794,
         0x2cc18cd5,
         0x40207d3d},
        // ff02::1, 3ffe:501:8::260:97ff:fe40:efab
        {{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
         4739,
         {0x3f, 0xfe, 0x05, 0x01, 0x00, 0x08, 0, 0, 0x02, 0x60, 0x97, 0xff, 0xfe, 0x40, 0xef, 0xab},
         14230,
         0x0f0c461c,
         0xdde51bbf},
        // fe80::200:f8ff:fe21:67cf, 3ffe:1900:4545:3:200:f8ff:fe21:67cf
        {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf},
         38024,
         {0x3f, 0xfe, 0x19, 0x00, 0x45, 0x45, 0x00, 0x03, 0x02, 0x00, 0xf8, 0xff, 0xfe, 0x21, 0x67,
          0xcf},
         44251,
         0x4b61e985,
         0x02d1feef},
    };
    Steering steering;
    steering.set(settings_of(1));
    for (const auto& vector : vectors) {
        ParsedHeaders h;
        h.l3 = L3::kIpv6;
        h.l4 = L4::kTcp;
        std::copy(vector.source.begin(), vector.source.end(), h.source);
        std::copy(vector.destination.begin(), vector.destination.end(), h.destination);
        h.source_port = static_cast<uint16_t>(vector.source_port);
        h.destination_port = static_cast<uint16_t>(vector.destination_port);
        EXPECT_EQ(steering.steer(h).rss_hash, vector.with_ports);
        EXPECT_EQ(steering.steer(h).rss_type, RssType::kTcp6);
        h.l4 = L4::kFragment;
        EXPECT_EQ(steering.steer(h).rss_hash, vector.addresses_only);
        EXPECT_EQ(steering.steer(h).rss_type, RssType::kIpv6);
    }
}

TEST(Toeplitz, AnotherKeyGivesAnotherHash) {
    Steering steering;
    ReceiveSettings settings = settings_of(1);
    settings.rss_key.assign(kRssKey, 0);
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).rss_hash, 0U);
    settings.rss_key.back() = 1;  // only bits far behind the IPv4 input
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).rss_hash, 0U);
    settings.rss_key[0] = 0x80;
    steering.set(settings);
    EXPECT_NE(steering.steer(headers4(kVectors4[1], L4::kTcp)).rss_hash, 0U);
}

TEST(Steering, UsesTheTableByTheLowBitsOfTheHash) {
    Steering steering;
    ReceiveSettings settings = settings_of(4);
    settings.rss_table.resize(128);
    for (size_t i = 0; i < 128; ++i) settings.rss_table[i] = (i / 3) % 4;
    steering.set(settings);
    for (const Vector4& vector : kVectors4) {
        EXPECT_EQ(steering.steer(headers4(vector, L4::kTcp)).queue,
                  settings.rss_table[vector.with_ports % 128]);
    }
}

TEST(Steering, SpreadsWithoutATableAndStaysBelowTheQueues) {
    Steering steering;
    ReceiveSettings settings = settings_of(3);
    steering.set(settings);
    std::set<uint16_t> seen;
    for (unsigned port = 1; port < 200; ++port) {
        Vector4 vector = kVectors4[0];
        vector.source_port = port;
        Steered steered = steering.steer(headers4(vector, L4::kTcp));
        EXPECT_LT(steered.queue, 3);
        seen.insert(steered.queue);
    }
    EXPECT_EQ(seen.size(), 3U);
    settings.rss_table.assign(128, 9);  // entries that name no queue
    steering.set(settings);
    EXPECT_LT(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 3);
    EXPECT_EQ(steering.steer(ParsedHeaders{}).queue, 0);
    EXPECT_EQ(steering.steer(ParsedHeaders{}).rss_type, RssType::kNone);
    steering.set(settings_of(0));
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 0);
}

TEST(Steering, TheLowestLocationWinsBeforeRss) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_table.assign(128, 1);
    FlowRule rule;
    rule.location = 20;
    rule.queue = 5;
    rule.destination_port = 1766;
    rule.destination_port_mask = 0xffff;
    settings.rules.push_back(rule);
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 5);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).rss_hash, 0x51ccc178U);
    EXPECT_EQ(steering.steer(headers4(kVectors4[1], L4::kTcp)).queue, 1);  // other port
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kUdp)).queue, 1);  // other protocol
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kFragment)).queue, 1);
    rule.location = 3;
    rule.queue = 6;
    settings.rules.push_back(rule);
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 6);
    settings.rules.back().queue = 8;  // no such queue: passed over
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 5);
}

TEST(Steering, ARuleMayHaveATableAndAKeyOfItsOwn) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_table.assign(128, 1);
    FlowRule rule;
    rule.location = 7;
    rule.rss_table = {2, 3, 4, 5};
    rule.destination_port = 1766;
    rule.destination_port_mask = 0xffff;
    settings.rules.push_back(rule);
    steering.set(settings);
    Steered steered = steering.steer(headers4(kVectors4[0], L4::kTcp));
    EXPECT_EQ(steered.queue, 2 + 0x51ccc178 % 4);
    EXPECT_EQ(steered.rss_hash, 0x51ccc178U);
    EXPECT_EQ(steered.rule, 7U);
    EXPECT_EQ(steering.steer(headers4(kVectors4[1], L4::kTcp)).rule, std::nullopt);
    EXPECT_EQ(steering.steer(headers4(kVectors4[1], L4::kTcp)).queue, 1);
    // The hash is by the rule's key, and by the port's where no rule is.
    settings.rules[0].rss_key.assign(kRssKey, 0);
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).rss_hash, 0U);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 2);
    EXPECT_EQ(steering.steer(headers4(kVectors4[1], L4::kTcp)).rss_hash, 0xc626b0eaU);
}

TEST(Steering, OnlyTheTypesOfAPortAreHashed) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_table = {0, 1, 2, 3};
    settings.rss_types = rss_bit(RssType::kIpv4) | rss_bit(RssType::kTcp4);
    settings.queue_without_hash = 6;
    steering.set(settings);
    const Vector4& vector = kVectors4[0];
    EXPECT_EQ(steering.steer(headers4(vector, L4::kTcp)).rss_hash, vector.with_ports);
    const Steered udp = steering.steer(headers4(vector, L4::kUdp));
    EXPECT_EQ(udp.rss_hash, vector.addresses_only);
    EXPECT_EQ(udp.rss_type, RssType::kIpv4);
    EXPECT_EQ(udp.queue, vector.addresses_only % 4);
    ParsedHeaders ipv6 = headers4(vector, L4::kTcp);
    ipv6.l3 = L3::kIpv6;
    for (const ParsedHeaders& headers : {ipv6, ParsedHeaders{}}) {
        const Steered without = steering.steer(headers);
        EXPECT_EQ(without.rss_type, RssType::kNone);
        EXPECT_EQ(without.rss_hash, 0U);
        EXPECT_EQ(without.queue, 6);
    }
    settings.queue_without_hash = 8;  // no such queue
    steering.set(settings);
    EXPECT_EQ(steering.steer(ipv6).queue, 0);
}

TEST(Steering, ARuleStillMatchesWhatIsNotHashed) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_types = 0;
    FlowRule rule;
    rule.location = 7;
    rule.queue = 5;
    settings.rules.push_back(rule);
    steering.set(settings);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).queue, 5);
    EXPECT_EQ(steering.steer(headers4(kVectors4[0], L4::kTcp)).rss_type, RssType::kNone);
    // By the types of its own table, if it has one.
    settings.rules[0].rss_table = {2, 3};
    settings.rules[0].rss_types = rss_bit(RssType::kIpv4);
    settings.rules[0].queue_without_hash = 4;
    steering.set(settings);
    Steered steered = steering.steer(headers4(kVectors4[0], L4::kTcp));
    EXPECT_EQ(steered.rule, 7U);
    EXPECT_EQ(steered.rss_hash, kVectors4[0].addresses_only);
    EXPECT_EQ(steered.queue, 2 + kVectors4[0].addresses_only % 2);
    settings.rules[0].rss_types = 0;
    steering.set(settings);
    steered = steering.steer(headers4(kVectors4[0], L4::kTcp));
    EXPECT_EQ(steered.rule, 7U);
    EXPECT_EQ(steered.queue, 4);
}

TEST(Steering, MasksAreByBitAndZeroIsAny) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_table.assign(128, 1);
    FlowRule rule;
    rule.l4 = L4::kOther;  // any
    rule.queue = 4;
    rule.source[0] = 66;
    rule.source_mask[0] = 0xff;
    rule.traffic_class = 0x20;
    rule.traffic_class_mask = 0xe0;
    settings.rules.push_back(rule);
    steering.set(settings);
    ParsedHeaders h = headers4(kVectors4[0], L4::kIcmp);
    EXPECT_EQ(steering.steer(h).queue, 1);
    h.traffic_class = 0x3f;
    EXPECT_EQ(steering.steer(h).queue, 4);
    h.source[0] = 67;
    EXPECT_EQ(steering.steer(h).queue, 1);
    h.source[0] = 66;
    h.l3 = L3::kIpv6;
    EXPECT_EQ(steering.steer(h).queue, 1);
}

TEST(Steering, RulesForIpv6CompareWholeAddresses) {
    Steering steering;
    ReceiveSettings settings = settings_of(8);
    settings.rss_table.assign(128, 1);
    FlowRule rule;
    rule.l3 = L3::kIpv6;
    rule.queue = 2;
    rule.destination[15] = 9;
    std::fill_n(rule.destination_mask, 16, 0xff);
    settings.rules.push_back(rule);
    steering.set(settings);
    ParsedHeaders h;
    h.l3 = L3::kIpv6;
    h.l4 = L4::kTcp;
    h.destination[15] = 9;
    EXPECT_EQ(steering.steer(h).queue, 2);
    h.destination[8] = 1;
    EXPECT_EQ(steering.steer(h).queue, 1);
}

}  // namespace
}  // namespace zcrxlab::nic
