// The device as a whole: registers, resets, link, interrupts, bus mastering.
#include <gtest/gtest.h>

#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

using Vectors = std::vector<uint16_t>;

TEST(GveDeviceRegisters, IdentityIsWhatTheDriverBindsTo) {
    GveDriver driver({.max_tx_queues = 8, .max_rx_queues = 16});
    const PciIdentity& identity = driver.device->identity();
    EXPECT_EQ(identity.vendor, 0x1ae0);
    EXPECT_EQ(identity.device, 0x0042);
    EXPECT_GE(identity.revision, 1);
    EXPECT_EQ(identity.class_code, 0x020000u);
    EXPECT_EQ(identity.msix_vectors, 33);
    EXPECT_EQ(driver.read_register(offsetof(Registers, max_tx_queues)), 8u);
    EXPECT_EQ(driver.read_register(offsetof(Registers, max_rx_queues)), 16u);
}

TEST(GveDeviceRegisters, RunAndResetAreAcknowledged) {
    GveDriver driver;
    EXPECT_TRUE(driver.status_has(kStatusIsReset));
    EXPECT_TRUE(driver.status_has(kStatusLinkUp));
    driver.run();
    EXPECT_FALSE(driver.status_has(kStatusIsReset));
    EXPECT_EQ(driver.command(Opcode::kReportNicTimestamp), Status::kUnimplemented);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 1u);
    driver.driver_reset();
    EXPECT_TRUE(driver.status_has(kStatusIsReset));
    driver.run();
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 0u);
}

TEST(GveDeviceRegisters, DriverVersionIsReadByteByByte) {
    GveDriver driver;
    for (int twice = 0; twice < 2; ++twice)
        for (char letter : std::string("GVE-1.0.0\n")) {
            auto byte = static_cast<std::byte>(letter);
            driver.device->bar_write(kRegisterBar, offsetof(Registers, driver_version),
                                     std::span(&byte, 1));
        }
    EXPECT_EQ(driver.device->driver_version(), "GVE-1.0.0");
    for (int i = 0; i < 10000; ++i) {
        auto byte = std::byte{'x'};
        driver.device->bar_write(kRegisterBar, offsetof(Registers, driver_version),
                                 std::span(&byte, 1));
    }
    EXPECT_LE(driver.device->driver_version().size(), 64u);
}

TEST(GveDeviceRegisters, AccessesThatMeanNothingAreCountedAndHarmless) {
    GveDriver driver;
    driver.bring_up();
    std::array<std::byte, 8> bytes{};
    uint64_t before = driver.counter("bad_registers");
    driver.device->bar_write(kRegisterBar, 0x00, std::span(bytes).first(4));
    driver.device->bar_write(kRegisterBar, 0x14, bytes);
    driver.device->bar_write(kRegisterBar, 0xffc, std::span(bytes).first(4));
    driver.device->bar_write(kDoorbellBar, 0xffc, std::span(bytes).first(4));
    driver.device->bar_write(kDoorbellBar, 2, std::span(bytes).first(4));
    driver.device->bar_write(kDoorbellBar, 0, bytes);
    driver.device->bar_write(5, 0, bytes);
    driver.ring_doorbell(40, 1);
    driver.ring_doorbell(kTxDoorbells + 40, 1);
    driver.ring_doorbell(kRxDoorbells + 2, 1);
    EXPECT_EQ(driver.counter("bad_registers"), before + 10);
    driver.device->bar_read(kRegisterBar, 0x28, bytes);
    driver.device->bar_read(kRegisterBar, 0xff8, bytes);
    driver.device->bar_read(kDoorbellBar, 0, bytes);
    EXPECT_EQ(bytes[0], std::byte{0});
}

TEST(GveDeviceInterrupts, AreOneShotAndRememberWhatTheyMissed) {
    GveDriver driver;
    driver.bring_up();
    DriverRx& queue = driver.rx(0);
    uint16_t vector = queue.block;
    auto bytes = pattern(kHeaders + 1);
    auto receive = [&] {
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
        driver.device->end_of_burst();
    };
    receive();
    EXPECT_EQ(driver.interrupts(), Vectors{vector});
    receive();
    receive();
    EXPECT_EQ(driver.interrupts(), Vectors{});
    // Armed again: what was missed fires at once, and once.
    driver.arm(vector);
    EXPECT_EQ(driver.interrupts(), Vectors{vector});
    receive();
    EXPECT_EQ(driver.interrupts(), Vectors{});
    driver.arm(vector);
    EXPECT_EQ(driver.interrupts(), Vectors{vector});
    // Armed with nothing missed: nothing until something comes.
    driver.arm(vector);
    EXPECT_EQ(driver.interrupts(), Vectors{});
    receive();
    EXPECT_EQ(driver.interrupts(), Vectors{vector});
}

TEST(GveDeviceInterrupts, ABurstRaisesOncePerQueue) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 1);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 0)), Accepted::kYes);
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
    }
    EXPECT_EQ(driver.interrupts(), Vectors{});
    driver.device->end_of_burst();
    EXPECT_EQ(driver.interrupts(), (Vectors{16, 17}));
    driver.device->end_of_burst();
    driver.arm(16);
    driver.arm(17);
    EXPECT_EQ(driver.interrupts(), Vectors{});
}

TEST(GveDeviceInterrupts, ALostInterruptIsNeitherRaisedNorPending) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 1);
    Delivery delivery = tcp_delivery(bytes);
    delivery.lose_interrupt = true;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    driver.device->end_of_burst();
    driver.arm(16);
    EXPECT_EQ(driver.interrupts(), Vectors{});
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1u);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    driver.device->end_of_burst();
    EXPECT_EQ(driver.interrupts(), Vectors{16});
}

class GvePacketInParts : public testing::Test {
  protected:
    GvePacketInParts() { driver.bring_up(); }

    // One packet of three buffers, of which the last two are completed when `rest` says.
    void deliver(Rest rest) {
        Delivery delivery = tcp_delivery(bytes);
        delivery.rest = rest;
        EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        driver.device->end_of_burst();
    }
    // Whether the driver would see the completion at an index of a ring that has not wrapped.
    bool seen(uint32_t index) {
        const auto completion =
            driver.load<RxCompletion>(driver.rx(0).completion_ring + index * sizeof(RxCompletion));
        return (completion.length_generation & RxCompletion::kGeneration) != 0;
    }

    GveDriver driver;
    std::vector<std::byte> bytes = pattern(kHeaders + 2 * 4096 + 10);
};

TEST_F(GvePacketInParts, TheRestComesWhenTheInterruptIsArmedAgain) {
    deliver(Rest::kWhenSeen);
    EXPECT_EQ(driver.interrupts(), Vectors{16});
    EXPECT_TRUE(seen(0));
    EXPECT_FALSE(seen(1) || seen(2));
    driver.arm(16);
    EXPECT_EQ(driver.interrupts(), Vectors{16});
    const auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_EQ(packets[0].completions.size(), 3u);
    EXPECT_EQ(packets[0].payload, std::vector<std::byte>(bytes.begin() + kHeaders, bytes.end()));
    driver.arm(16);
    EXPECT_EQ(driver.interrupts(), Vectors{});
}

TEST_F(GvePacketInParts, TheRestWaitsForADriverThatHasSeenTheRestOfTheRing) {
    deliver(Rest::kAtOnce);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1u);
    // Between the driver's last look and its arming: that fires at once, and it looks again.
    deliver(Rest::kWhenSeen);
    driver.interrupts();
    driver.arm(16);
    EXPECT_EQ(driver.interrupts(), Vectors{16});
    EXPECT_TRUE(seen(3));
    EXPECT_FALSE(seen(4));
    EXPECT_EQ(driver.counter("rx0_seen_in_part"), 0u);
    driver.arm(16);
    EXPECT_EQ(driver.counter("rx0_seen_in_part"), 1u);
    EXPECT_TRUE(seen(4) && seen(5));
}

TEST_F(GvePacketInParts, AStuckRestWaitsForTheNextPacket) {
    deliver(Rest::kWithNext);
    driver.interrupts();
    for (int i = 0; i < 2; ++i) {
        driver.arm(16);
        EXPECT_EQ(driver.interrupts(), Vectors{});
        EXPECT_FALSE(seen(1));
    }
    EXPECT_EQ(driver.counter("rx0_seen_in_part"), 1u);
    deliver(Rest::kAtOnce);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 2u);
}

TEST_F(GvePacketInParts, TheRestComesBeforeTheNextPacket) {
    deliver(Rest::kWhenSeen);
    EXPECT_FALSE(seen(1));
    deliver(Rest::kAtOnce);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 2u);
}

TEST_F(GvePacketInParts, OneThatIsOvertakenIsCompletedBehindTheNext) {
    deliver(Rest::kOvertaken);
    EXPECT_EQ(driver.interrupts(), Vectors{16});
    for (int i = 0; i < 2; ++i) {
        driver.arm(16);
        EXPECT_FALSE(seen(0));
    }
    EXPECT_EQ(driver.counter("rx0_seen_in_part"), 0u);
    bytes.resize(kHeaders + 5);
    bytes[kHeaders] = ~bytes[kHeaders];
    deliver(Rest::kOvertaken);  // which goes for one at a time
    EXPECT_EQ(driver.interrupts(), Vectors{16});
    const auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 2u);
    EXPECT_EQ(packets[0].payload.size(), 5u);
    EXPECT_EQ(packets[0].payload[0], bytes[kHeaders]);
    EXPECT_EQ(packets[1].completions.size(), 3u);
    EXPECT_EQ(packets[1].payload[0], ~bytes[kHeaders]);
    EXPECT_EQ(driver.counter("rx0_overtaken"), 1u);
    deliver(Rest::kAtOnce);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1u);
}

TEST_F(GvePacketInParts, OneBufferHasNoRest) {
    bytes.resize(kHeaders + 10);
    deliver(Rest::kWhenSeen);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1u);
}

TEST(GveDeviceInterrupts, ClearPendingForgetsWhatWasMissed) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 1);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
        driver.device->end_of_burst();
    }
    driver.interrupts();
    driver.ring_doorbell(16, kInterruptEnable | kInterruptClearPending);
    EXPECT_EQ(driver.interrupts(), Vectors{});
}

TEST(GveDeviceInterrupts, TheManagementVectorMayBeTheFirst) {
    GveDriver driver;
    driver.run();
    ConfigureDeviceResources command = driver.resources_command();
    command.msix_base_index = 1;
    ASSERT_EQ(driver.command(Opcode::kConfigureDeviceResources, command), Status::kPassed);
    driver.create_rx(0, {});
    driver.post_all(driver.rx(0));
    driver.device->set_link(false);
    EXPECT_EQ(driver.interrupts(), Vectors{0});
    driver.device->set_link(true);
    driver.interrupts();
    driver.arm(16);
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    driver.device->end_of_burst();
    EXPECT_EQ(driver.interrupts(), Vectors{17});
}

TEST(GveDeviceLink, UpAndDownAreSeenAndAnnounced) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(100);
    driver.device->set_link(true);
    EXPECT_EQ(driver.interrupts(), Vectors{});
    driver.device->set_link(false);
    EXPECT_FALSE(driver.status_has(kStatusLinkUp));
    EXPECT_EQ(driver.interrupts(), Vectors{32});
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNotRunning);
    driver.device->set_link(true);
    EXPECT_TRUE(driver.status_has(kStatusLinkUp));
    EXPECT_EQ(driver.interrupts(), Vectors{32});
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
}

TEST(GveDeviceReset, RequestedByTheDeviceUntilTheDriverDoesIt) {
    GveDriver driver;
    driver.bring_up();
    driver.device->request_reset();
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
    EXPECT_FALSE(driver.status_has(kStatusIsReset));
    EXPECT_EQ(driver.interrupts(), Vectors{32});
    driver.driver_reset();
    EXPECT_TRUE(driver.status_has(kStatusIsReset));
    EXPECT_FALSE(driver.status_has(kStatusResetRequested));
    driver.bring_up();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
}

// After any of the resets no memory of before is touched, whatever still comes.
void expect_silence(GveDriver& driver, uint32_t tx_doorbell, uint32_t rx_doorbell) {
    driver.dma.log.clear();
    driver.interrupts();
    auto bytes = pattern(100);
    EXPECT_NE(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    driver.device->end_of_burst();
    driver.ring_doorbell(tx_doorbell, 2);
    driver.ring_doorbell(rx_doorbell, 32);
    driver.ring_doorbell(0, kInterruptEnable);
    driver.device->set_link(false);
    driver.device->set_link(true);
    EXPECT_TRUE(driver.dma.log.empty());
    EXPECT_TRUE(driver.interrupts().empty());
    EXPECT_TRUE(driver.wire.sent.empty());
}

TEST(GveDeviceReset, ByTheDriverStopsEverything) {
    GveDriver driver;
    driver.bring_up();
    driver.driver_reset();
    EXPECT_EQ(driver.wire.settings.queues, 0);
    expect_silence(driver, driver.tx(0).doorbell, driver.rx(0).doorbell);
}

TEST(GveDeviceReset, OfThePciFunctionStopsEverything) {
    GveDriver driver;
    driver.bring_up();
    driver.device->reset();
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_base_low)), 0u);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    expect_silence(driver, driver.tx(0).doorbell, driver.rx(0).doorbell);
    driver.device->set_bus_master(true);
    expect_silence(driver, driver.tx(0).doorbell, driver.rx(0).doorbell);
}

TEST(GveDeviceReset, ANewDriverThatDidNotResetStartsAnew) {
    GveDriver driver;
    driver.bring_up();
    DriverRx old = driver.rx(0);
    driver.bring_up();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    EXPECT_FALSE(driver.dma.touched(old.buffers, uint64_t{old.size} * old.buffer_size));
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1u);
}

TEST(GveDeviceReset, WithoutBusMasteringNoMemoryIsTouched) {
    GveDriver driver;
    driver.bring_up();
    driver.put_frame(driver.tx(0), pattern(100), 0);
    driver.device->set_bus_master(false);
    driver.dma.log.clear();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNotRunning);
    driver.device->end_of_burst();
    driver.ring(driver.tx(0));
    driver.write_register(offsetof(Registers, adminq_doorbell), driver.produced + 1);
    driver.device->set_link(false);
    EXPECT_TRUE(driver.dma.log.empty());
    EXPECT_TRUE(driver.interrupts().empty());
    EXPECT_TRUE(driver.wire.sent.empty());
}

TEST(GveDeviceAdminQueue, LengthsThatCannotBeAreRefused) {
    GveDriver driver;
    driver.run();
    for (uint16_t length : {0, 1, 63, 65, 192, 4095}) {
        driver.write_register16(offsetof(Registers, adminq_length), length);
        driver.write_register(offsetof(Registers, driver_status), kDriverRun);
        driver.write_register(offsetof(Registers, adminq_doorbell), 1);
        EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 0u) << length;
    }
}

TEST(GveDeviceAdminQueue, MoreCommandsThanTheQueueHoldsAreNotBelieved) {
    GveDriver driver;
    driver.run();
    driver.write_register(offsetof(Registers, adminq_doorbell), 65);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 0u);
    driver.write_register(offsetof(Registers, adminq_doorbell), 0xffffffff);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 0u);
    EXPECT_EQ(driver.counter("bad_registers"), 2u);
    // A queue full at once is fine, and every command gets an answer.
    driver.write_register(offsetof(Registers, adminq_doorbell), 64);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 64u);
    for (uint64_t i = 0; i < 64; ++i)
        EXPECT_EQ(static_cast<Status>(
                      driver.load<Command>(driver.adminq + i * sizeof(Command)).status.get()),
                  Status::kUnimplemented);
}

TEST(GveDeviceAdminQueue, CommandsGoRoundTheQueue) {
    GveDriver driver;
    driver.run();
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(driver.command(Opcode::kReportStats, ReportStats{0, 0, 0}), Status::kPassed);
    EXPECT_EQ(driver.counter("admin_commands"), 200u);
}

TEST(GveDeviceAdminQueue, AQueueThatIsNoMemoryMakesTheDeviceAskForAReset) {
    GveDriver driver;
    driver.run();
    driver.dma.range(driver.adminq).clear();
    driver.write_register(offsetof(Registers, adminq_doorbell), 1);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), 0u);
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
    driver.driver_reset();
    driver.bring_up();
    EXPECT_FALSE(driver.status_has(kStatusResetRequested));
}

TEST(GveDeviceCounters, NameTotalsAndQueues) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 0)), Accepted::kYes);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
    EXPECT_EQ(driver.counter("rx_packets"), 2u);
    EXPECT_EQ(driver.counter("rx0_packets"), 1u);
    EXPECT_EQ(driver.counter("rx1_bytes"), bytes.size());
    EXPECT_EQ(driver.counter("rx15_packets"), 0u);
}

TEST(GveDeviceConfig, ValuesOutOfRangeAreBroughtIntoIt) {
    GveDriver driver({.max_tx_queues = 0, .max_rx_queues = 999, .max_ring = 65535});
    EXPECT_EQ(driver.read_register(offsetof(Registers, max_tx_queues)), 1u);
    EXPECT_EQ(driver.read_register(offsetof(Registers, max_rx_queues)), 16u);
}

}  // namespace
}  // namespace zcrxlab::nic::gve
