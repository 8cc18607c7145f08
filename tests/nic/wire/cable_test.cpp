// Tests of the cable without faults: what a device gets of what the other one sent.
#include <sys/mman.h>

#include <random>

#include "tests/nic/wire/cable_fixture.hpp"

namespace zcrxlab::nic {
namespace {

using CableDelivery = CableTest;

FrameShape large_frame(int family, size_t size) {
    FrameShape shape;
    shape.family = family;
    shape.flags = kTcpAck | kTcpPsh;
    shape.tcp_options = timestamp_option();
    shape.payload = stream_bytes(0, size);
    return shape;
}

TEST_F(CableDelivery, APacketArrivesWithEverythingDecided) {
    for (int family : {4, 6}) {
        kept().clear();
        FrameShape shape = large_frame(family, 500);
        BuiltFrame built = build_frame(shape);
        send(built.bytes);
        ASSERT_EQ(kept().size(), 1U);
        const Delivery& delivery = kept()[0].delivery;
        EXPECT_EQ(kept()[0].bytes, built.bytes);
        EXPECT_EQ(delivery.packet, family == 4 ? 1U : 2U);
        EXPECT_LT(delivery.queue, 4);
        EXPECT_EQ(delivery.header_length, built.payload);
        EXPECT_EQ(delivery.payload_offset, built.payload);
        EXPECT_EQ(delivery.rsc_mss, 0);
        EXPECT_EQ(delivery.l3, family == 4 ? L3::kIpv4 : L3::kIpv6);
        EXPECT_EQ(delivery.l4, L4::kTcp);
        EXPECT_EQ(delivery.ip_checksum,
                  family == 4 ? ChecksumState::kGood : ChecksumState::kUnknown);
        EXPECT_EQ(delivery.l4_checksum, ChecksumState::kGood);
        EXPECT_EQ(delivery.rss_type, family == 4 ? RssType::kTcp4 : RssType::kTcp6);
        EXPECT_NE(delivery.rss_hash, 0U);
        EXPECT_NE(delivery.flow, 0U);
        EXPECT_EQ(delivery.tcp_sequence, 1000U);
        EXPECT_EQ(delivery.fault, 0U);
    }
    EXPECT_EQ(devices[0].bursts, 0);
    cable.port(1).flush();
    EXPECT_EQ(devices[0].bursts, 1);
    cable.port(1).flush();  // nothing arrived since
    EXPECT_EQ(devices[0].bursts, 1);
    EXPECT_TRUE(kept(1).empty());
    EXPECT_EQ(counter("wire_rx_packets"), 2U);
    EXPECT_TRUE(events.empty());
}

TEST_F(CableDelivery, BothDirections) {
    send(numbered(1));
    send(build_frame(numbered(2)).bytes, 0, false, 0);
    EXPECT_EQ(kept(0).size(), 1U);
    EXPECT_EQ(kept(1).size(), 1U);
    EXPECT_EQ(kept(1)[0].delivery.packet, 2U);
}

TEST_F(CableDelivery, OnlyTcpIsSplitAndOnlyIfAskedFor) {
    FrameShape shape;
    shape.protocol = 17;
    shape.payload = stream_bytes(0, 9);
    send(shape);
    shape.protocol = 6;
    shape.fragment = 0x2000;
    send(shape);
    settings.header_split = false;
    cable.port(0).set_receive(settings);
    send(numbered(1));
    ASSERT_EQ(kept().size(), 3U);
    for (const auto& one : kept()) EXPECT_EQ(one.delivery.header_length, 0);
    EXPECT_EQ(kept()[0].delivery.payload_offset, 42);
    EXPECT_EQ(kept()[1].delivery.l4, L4::kFragment);
}

TEST_F(CableDelivery, ChecksumsAreFilledOrVerified) {
    FrameShape shape = large_frame(4, 100);
    BuiltFrame built = build_frame(shape);
    Bytes wrong = built.bytes;
    set16(wrong, built.l4 + 16, 0x1234);
    send(wrong, 0, true);
    send(wrong, 0, false);
    set16(wrong, built.l3 + 10, 0x1234);
    send(wrong, 0, true);
    ASSERT_EQ(kept().size(), 3U);
    EXPECT_EQ(kept()[0].bytes, built.bytes);
    EXPECT_EQ(kept()[0].delivery.l4_checksum, ChecksumState::kGood);
    EXPECT_EQ(kept()[1].bytes[built.l4 + 16], std::byte{0x12});
    EXPECT_EQ(kept()[1].delivery.l4_checksum, ChecksumState::kBad);
    EXPECT_EQ(kept()[2].delivery.ip_checksum, ChecksumState::kBad);
    EXPECT_EQ(counter("wire_rx_bad_checksums"), 2U);

    Outgoing frame;
    frame.bytes = wrong;
    frame.checksum = frame.ip_checksum = true;
    cable.port(1).transmit(std::move(frame));
    ASSERT_EQ(kept().size(), 4U);
    EXPECT_EQ(kept()[3].bytes, built.bytes);
    EXPECT_EQ(kept()[3].delivery.ip_checksum, ChecksumState::kGood);
}

TEST_F(CableDelivery, WithoutRscEverySegmentArrivesAlone) {
    for (int family : {4, 6}) {
        kept().clear();
        FrameShape shape = large_frame(family, 14000);
        send(shape, 1428);
        cable.port(1).flush();
        ASSERT_EQ(kept().size(), 10U);
        Bytes stream;
        for (const auto& one : kept()) {
            EXPECT_EQ(one.delivery.rsc_mss, 0);
            EXPECT_EQ(one.delivery.l4_checksum, ChecksumState::kGood);
            EXPECT_EQ(one.delivery.tcp_sequence, 1000 + stream.size());
            EXPECT_LE(one.bytes.size(), 1514U);
            EXPECT_TRUE(checksums_right(one.bytes, shape));
            stream.insert(stream.end(), one.bytes.begin() + one.delivery.payload_offset,
                          one.bytes.end());
        }
        EXPECT_EQ(stream, shape.payload);
    }
}

TEST_F(CableDelivery, WithRscALargeFramePassesWhole) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    for (int family : {4, 6}) {
        kept().clear();
        FrameShape shape = large_frame(family, 60000);
        BuiltFrame built = build_frame(shape);
        set16(built.bytes, built.l4 + 16, 0);
        send(built.bytes, 1428);
        ASSERT_EQ(kept().size(), 1U);
        EXPECT_EQ(kept()[0].delivery.rsc_mss, 1428);
        EXPECT_EQ(kept()[0].delivery.l4_checksum, ChecksumState::kGood);
        EXPECT_EQ(kept()[0].delivery.header_length, built.payload);
        set16(kept()[0].bytes, built.l4 + 16, 0);
        EXPECT_EQ(kept()[0].bytes, built.bytes);
    }
    EXPECT_EQ(counter("wire_tx_frames_whole", 1), 2U);
}

TEST_F(CableDelivery, WholeAndCutAndJoinedAreTheSame) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    FrameShape shape = large_frame(4, 50001);
    send(shape, 1000);
    let_hold_pass();
    // A rule that could hit makes the cable cut; the receiver then joins.
    FaultMatch match;
    match.skip = 10;
    match.every = 1000;
    inject(FaultKind::kDrop, match);
    send(shape, 1000);
    let_hold_pass();
    match.skip = 1000000;
    inject(FaultKind::kDrop, match);
    EXPECT_EQ(cable.faults().entries()[0].seen, 51U);
    EXPECT_EQ(counter("wire_tx_frames_whole", 1), 2U);
    match = {};
    match.probability = 1e-9;
    inject(FaultKind::kDrop, match);
    send(shape, 1000);
    let_hold_pass();
    EXPECT_EQ(counter("wire_tx_frames_cut", 1), 1U);
    ASSERT_EQ(kept().size(), 3U);
    EXPECT_EQ(kept()[2].delivery.rsc_mss, 1000);
    EXPECT_EQ(kept()[2].bytes, kept()[0].bytes);
    EXPECT_EQ(counter("wire_rx_coalesced_segments"), 51U);
}

TEST_F(CableDelivery, FramesBeyond64KiBAreCutAndJoinedBelowIt) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    FrameShape shape = large_frame(6, 200000);
    send(shape, 1428);
    let_hold_pass();
    EXPECT_EQ(kept().size(), 4U);
    size_t total = 0;
    for (const auto& one : kept()) {
        EXPECT_LE(one.bytes.size(), 65535U + 14);
        total += one.bytes.size() - one.delivery.payload_offset;
    }
    EXPECT_EQ(total, 200000U);
}

TEST_F(CableDelivery, TheReceiversMtuCounts) {
    FrameShape shape;
    shape.payload = stream_bytes(0, 1460);
    send(shape);
    shape.vlan_tags = 1;
    send(shape);
    shape.vlan_tags = 2;
    send(shape);
    EXPECT_EQ(kept().size(), 3U);
    for (unsigned tags : {0U, 1U, 2U}) {
        shape.vlan_tags = tags;
        shape.payload = stream_bytes(0, 1461);
        send(shape);
    }
    EXPECT_EQ(kept().size(), 3U);
    EXPECT_EQ(counter("wire_rx_longer_than_mtu"), 3U);
    // Segments too: a peer with a larger MTU.
    for (bool rsc : {false, true}) {
        settings.rsc = rsc;
        cable.port(0).set_receive(settings);
        send(large_frame(4, 20000), 4000);
    }
    EXPECT_EQ(kept().size(), 3U);
    EXPECT_EQ(counter("wire_rx_longer_than_mtu"), 13U);
    settings.mtu = 9000;
    cable.port(0).set_receive(settings);
    send(large_frame(4, 20000), 4000);
    EXPECT_EQ(kept().size(), 4U);
}

TEST_F(CableDelivery, SeparatePacketsAreJoinedAcrossBursts) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    for (uint32_t number : {0U, 10U, 20U}) send_numbers({number});
    EXPECT_TRUE(kept().empty());
    EXPECT_EQ(devices[0].bursts, 0);
    EXPECT_EQ(cable.next_deadline(), now + FlowLimits{}.hold);
    let_hold_pass();
    ASSERT_EQ(kept().size(), 1U);
    EXPECT_EQ(kept()[0].delivery.rsc_mss, 10);
    EXPECT_EQ(kept()[0].bytes.size(), 54U + 30);
    EXPECT_EQ(devices[0].bursts, 1);
    EXPECT_EQ(cable.next_deadline(), kNoDeadline);
    EXPECT_EQ(counter("wire_rx_coalescing_timeouts"), 1U);
    // One is delivered as it is.
    send_numbers({30});
    let_hold_pass();
    EXPECT_EQ(kept()[1].delivery.rsc_mss, 0);
    EXPECT_EQ(kept()[1].bytes, build_frame(numbered(30)).bytes);
}

// The end of a stream is not waited for.
TEST_F(CableDelivery, APushIsDeliveredWithItsBurst) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    send_numbers({0});
    FrameShape last = numbered(10);
    last.flags |= 0x08;
    send(last);
    cable.port(1).flush();
    ASSERT_EQ(kept().size(), 1U);
    EXPECT_EQ(kept()[0].bytes.size(), 54U + 20);
    EXPECT_EQ(devices[0].bursts, 1);
}

TEST_F(CableDelivery, ALargeFrameComesBehindWhatIsHeldOfItsFlow) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    FrameShape first = large_frame(4, 100);
    send(first);
    FrameShape large = large_frame(4, 5000);
    large.sequence += 100;
    send(large, 1000);
    ASSERT_EQ(kept().size(), 2U);
    EXPECT_EQ(kept()[0].delivery.tcp_sequence, first.sequence);
    EXPECT_EQ(kept()[1].delivery.rsc_mss, 1000);
}

TEST_F(CableDelivery, ALargeFrameBeyondTheLimitsIsCutAndJoinedWithinThem) {
    settings.rsc = true;
    settings.rsc_limits.segments = 4;
    cable.port(0).set_receive(settings);
    send(large_frame(4, 5000), 1000);
    let_hold_pass();
    ASSERT_EQ(kept().size(), 2U);
    EXPECT_EQ(kept()[0].delivery.rsc_mss, 1000);
    EXPECT_EQ(kept()[1].delivery.rsc_mss, 0);
    EXPECT_TRUE(kept()[1].delivery.rsc_begins) << "another one could have been joined to it";
    settings.rsc_limits.shortest = 1001;
    cable.port(0).set_receive(settings);
    kept().clear();
    send(large_frame(4, 2000), 1000);
    ASSERT_EQ(kept().size(), 2U);
    EXPECT_FALSE(kept()[0].delivery.rsc_begins);
    settings.rsc = false;
    settings.rsc_limits = {};
    cable.port(0).set_receive(settings);
    send(large_frame(4, 2000), 1000);
    EXPECT_FALSE(kept()[2].delivery.rsc_begins) << "nothing is joined";
}

TEST_F(CableDelivery, ALinkThatGoesDownTakesNothingThatHadArrived) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    send_numbers({0});
    cable.set_link(0, false);
    EXPECT_EQ(kept().size(), 1U);
    EXPECT_EQ(devices[0].bursts, 1);
    EXPECT_FALSE(devices[0].link);
}

TEST_F(CableDelivery, SettingsThatChangeDoNotLoseWhatIsHeld) {
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    send(numbered(0));
    settings.rsc = false;
    cable.port(0).set_receive(settings);
    EXPECT_EQ(kept().size(), 1U);
    // No burst need follow.
    EXPECT_EQ(devices[0].bursts, 1);
}

TEST_F(CableDelivery, WhatIsBehindASegmentGoesAlongAndIsTold) {
    BuiltFrame built = build_frame({});
    Bytes padded = built.bytes;
    padded.resize(60);
    send(padded);
    EXPECT_EQ(kept()[0].bytes, padded);
    EXPECT_EQ(kept()[0].delivery.trailing, 60 - built.bytes.size());
    Bytes arp(60, std::byte{0x08});
    send(arp);
    EXPECT_EQ(kept()[1].bytes, arp);
    EXPECT_EQ(kept()[1].delivery.l3, L3::kOther);
    EXPECT_EQ(kept()[1].delivery.trailing, 0U);
}

TEST_F(CableDelivery, NothingArrivesWhereNothingRuns) {
    settings.queues = 0;
    cable.port(0).set_receive(settings);
    send(numbered(1));
    EXPECT_EQ(counter("wire_rx_not_started"), 1U);
    cable.attach(0, nullptr);
    settings.queues = 1;
    cable.port(0).set_receive(settings);
    send(numbered(1));
    cable.port(1).flush();
    EXPECT_EQ(counter("wire_rx_not_started"), 2U);
    EXPECT_TRUE(kept().empty());
}

TEST_F(CableDelivery, WhatADeviceRefusesIsCountedAndTold) {
    devices[0].answer = Accepted::kNoBuffer;
    send(numbered(1));
    devices[0].answer = Accepted::kQueueOff;
    send(numbered(1));
    EXPECT_EQ(counter("wire_rx_no_buffer"), 1U);
    EXPECT_EQ(counter("wire_rx_queue_off"), 1U);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].what, "dropped");
    EXPECT_NE(events[0].text.find("no receive buffer: TCP 10.0.0.1"), std::string::npos);
}

TEST_F(CableDelivery, WildFramesAreRefused) {
    send(Bytes(13));
    send(Bytes(kMaximumFrame + 1));
    send(Bytes(0));
    send(Bytes(2000), 1448);
    FrameShape syn = large_frame(4, 4000);
    syn.flags = kTcpSyn;
    send(syn, 1448);
    send(large_frame(4, 4000), 3);
    EXPECT_TRUE(kept().empty());
    EXPECT_EQ(counter("wire_tx_refused", 1), 6U);
}

TEST_F(CableDelivery, TheLinkOfEitherEndStopsBothDirections) {
    cable.set_link(0, false);
    EXPECT_FALSE(devices[0].link);
    EXPECT_TRUE(devices[1].link);
    send(numbered(1));
    send(build_frame(numbered(1)).bytes, 0, false, 0);
    EXPECT_TRUE(kept(0).empty());
    EXPECT_TRUE(kept(1).empty());
    EXPECT_EQ(counter("wire_rx_link_down", 0), 1U);
    EXPECT_EQ(counter("wire_rx_link_down", 1), 1U);
    cable.set_link(0, true);
    EXPECT_TRUE(devices[0].link);
    send(numbered(1));
    EXPECT_EQ(kept().size(), 1U);
    cable.request_reset(1);
    EXPECT_EQ(devices[1].resets, 1);
}

TEST_F(CableDelivery, SynsTakeASequenceNumber) {
    FrameShape shape;
    shape.flags = kTcpSyn;
    shape.sequence = 77;
    send(shape);
    EXPECT_EQ(kept()[0].delivery.tcp_sequence, 78U);
}

// A device that answers from inside deliver().
class Echo : public FakeWireDevice {
  public:
    Accepted deliver(const Delivery& delivery) override {
        EXPECT_FALSE(inside_);
        inside_ = true;
        FakeWireDevice::deliver(delivery);
        if (answers-- > 0) {
            Outgoing frame;
            frame.bytes.assign(delivery.bytes.begin(), delivery.bytes.end());
            port->transmit(std::move(frame));
            port->flush();
        }
        inside_ = false;
        return Accepted::kYes;
    }

    WirePort* port = nullptr;
    int answers = 1;

  private:
    bool inside_ = false;
};

TEST_F(CableDelivery, ADeviceMayTransmitWhileItReceives) {
    Echo echo;
    echo.port = &cable.port(0);
    cable.attach(0, &echo);
    send(numbered(1));
    EXPECT_EQ(echo.kept.size(), 1U);
    EXPECT_EQ(kept(1).size(), 1U);
    EXPECT_EQ(devices[1].bursts, 1);
    // Two that never stop are stopped.
    Echo other;
    other.port = &cable.port(1);
    cable.attach(1, &other);
    echo.answers = other.answers = 1000000000;
    send(numbered(2));
    EXPECT_GT(counter("wire_tx_refused", 0) + counter("wire_tx_refused", 1), 0U);
    cable.attach(0, nullptr);
    cable.attach(1, nullptr);
}

TEST(CableCapture, FramesThatAreKeptWholeHaveRealChecksums) {
    Fd file(memfd_create("capture", 0));
    PcapngWriter::Options options;
    options.snap = 0;
    auto writer = PcapngWriter::create(Fd(dup(file.get())), options);
    ASSERT_TRUE(writer.ok());
    Cable cable({[] { return uint64_t{1}; }, &*writer, {}, 64});
    FakeWireDevice device;
    cable.attach(0, &device);
    ReceiveSettings settings;
    settings.queues = 1;
    settings.rsc = true;
    cable.port(0).set_receive(settings);
    FrameShape shape = large_frame(4, 30000);
    BuiltFrame built = build_frame(shape);
    Outgoing frame;
    frame.bytes = built.bytes;
    frame.mss = 1448;
    set16(frame.bytes, built.l4 + 16, 0);
    cable.port(1).transmit(std::move(frame));
    cable.mark("after one frame");
    writer->flush();
    ASSERT_EQ(device.kept.size(), 1U);
    EXPECT_EQ(device.kept[0].bytes, built.bytes);
    Bytes content(static_cast<size_t>(lseek(file.get(), 0, SEEK_END)));
    ASSERT_EQ(pread(file.get(), content.data(), content.size(), 0),
              static_cast<ssize_t>(content.size()));
    auto at = std::search(content.begin(), content.end(), built.bytes.begin(), built.bytes.end());
    EXPECT_NE(at, content.end());
    std::string text(reinterpret_cast<const char*>(content.data()), content.size());
    EXPECT_NE(text.find("after one frame"), std::string::npos);
}

// Bytes of headers that a driver has told are repeated before each segment by a real NIC.
TEST_F(CableTest, HeadersOfALargeFrameAreAsTheDriverSays) {
    const FrameShape shape = large_frame(4, 30000);
    const auto transmit = [&](int more) {
        BuiltFrame built = build_frame(shape);
        Outgoing frame;
        frame.queue = 3;
        frame.mss = 1448;
        frame.header_length =
            static_cast<uint16_t>(parse_headers(built.bytes).payload_offset + more);
        frame.descriptor = 17;
        frame.bytes = std::move(built.bytes);
        cable.port(1).transmit(std::move(frame));
        cable.port(1).flush();
    };
    transmit(0);
    EXPECT_EQ(cable.forbidden().extract(0, 10).entries.size(), 0U);
    const size_t kept = devices[0].kept.size();
    EXPECT_GT(kept, 0U);
    transmit(-2);
    const auto asked = cable.forbidden().extract(0, 10).entries;
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].port, 1U);
    EXPECT_EQ(asked[0].asked.kind, ForbiddenKind::kDescriptor);
    EXPECT_EQ(asked[0].asked.queue, "transmit queue 3");
    EXPECT_EQ(asked[0].asked.descriptor, 17U);
    EXPECT_NE(asked[0].asked.what.find("bytes of headers"), std::string::npos);
    EXPECT_EQ(devices[0].kept.size(), kept);  // and it is not sent
}

}  // namespace
}  // namespace zcrxlab::nic
