// Chapter teardown, devices that go away: reset, driver unbound, removed, while a ring has a queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/ring/socket_queues.hpp"
#include "scenarios/chapters/unfinished_packet.hpp"
#include "scenarios/chapters/unread_packets.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_removal.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/rules_that_go.hpp"

namespace zcrxlab {

namespace {

constexpr uint32_t kQueue = 1;

void receive_on_new_ring(Scene& scene) {
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
    rx.close_ring();
    scene.wait_for_release(kQueue);
}

void leave_packets_unread(Scene& scene) {
    constexpr uint64_t kUnread = 20, kSegment = 988;  // 1000 without TCP's timestamps
    ReceivePath rx(scene, {.queue = kQueue, .uncounted = Uncounted::kNothingArrives});
    const uint32_t stream =
        rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle, .tcp = {.mss = 1000}});
    rx.receive(1_MiB);
    scene.inject({.what = FaultKind::kLoseInterrupt,
                  .match = {.protocol = FaultProtocol::kTcp, .payload = true}});
    rx.peer(stream).send_more(1_MiB);
    scene.wait_for("The driver reads packets that its device does not tell of.", [&] {
        const auto queued = static_cast<uint64_t>(std::max(bytes_queued(rx.socket(stream)), 0));
        return fault_hits(scene) >= queued / kSegment + kUnread;
    });
    rx.abandon();
    rx.close_ring();
    scene.wait_for_release(kQueue);
    scene.must(scene.target().clear_faults());
}

}  // namespace

// A driver may lose its carrier whenever it restarts a queue. What a ring costs without unread
// packets is measured first.
void close_with_unread_packets(Scene& scene) {
    scene.prepare_nic();
    const uint32_t before = carrier_losses(scene);
    receive_on_new_ring(scene);
    const uint32_t of_one_ring = carrier_losses(scene) - before;
    leave_packets_unread(scene);
    receive_on_new_ring(scene);
    EXPECT_EQ(carrier_losses(scene) - before, 3 * of_one_ring)
        << "The driver started all of its device again for what one queue left unread.";
}

}  // namespace zcrxlab

namespace zcrxlab::teardown_device {
namespace {

void wait_until(Scene& scene, const std::string& what, const std::function<bool()>& condition) {
    scene.wait_for("It did not happen in time: " + what + ".", condition);
}

// As it is now, also when the device has forgotten it by the end of the scenario.
Rss keep_rss(Scene& scene) {
    const Rss spread = scene.must(scene.nic().steering().rss());
    scene.undo_later("the RSS table", [&scene, spread] {
        return scene.nic().steering().set_rss({.table = spread.table});
    });
    return spread;
}

// ---- reset

int64_t resets(Scene& scene) {
    const std::string answer = scene.must(scene.control(R"({"do":"counters"})"));
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (json.is_discarded() || !json.contains("ports"))
        scene.give_up("The device's counters are not understood: " + answer);
    return json["ports"][0].value("resets", int64_t{0});
}

constexpr const char* kReset = R"({"do":"reset","port":0})";
constexpr const char* kDie = R"({"do":"die","port":0})";

// As the device asks for it. Returns when the driver has set its device up again.
void reset_device(Scene& scene, const char* command = kReset) {
    const int64_t before = resets(scene);
    scene.must(scene.control(command));
    scene.done("reset");
    wait_until(scene, "the driver reset its device", [&] { return resets(scene) > before; });
    wait_until(scene, "the interface has a link again", [&] {
        const auto link = scene.nic().links().get(scene.endpoints().interface);
        return link && link->carrier && scene.nic().netdev().receive_queue(kQueue);
    });
}

const Terms kResetTerms = Needs{
    .where = Where::kDevice, .faults = true, .flow_rules = true, .outages = true, .queues = 1};

// What comes while no rule is there is copied, and nothing else. `more`: bytes that `reset` sends.
void receive_through_reset(Scene& scene, const std::function<void(ReceivePath&, uint32_t)>& reset,
                           uint64_t more = 0) {
    scene.prepare_nic();
    const Rss spread = keep_rss(scene);
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = 200},
                           .queue = kQueue,
                           .steer = false});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .rate = 4_MiB});
    const uint16_t port = local_port(scene, rx.socket(stream));
    uint32_t rule = steer_until_gone(scene, port, kQueue);
    rx.peer(stream).send_more(2_MiB);
    rx.receive(1_MiB);
    const uint64_t steered = rx.receiver().total_bytes();
    reset(rx, stream);
    scene.must(scene.nic().steering().set_rss({.table = spread.table}));
    if (!has_rule(scene, rule)) rule = steer_until_gone(scene, port, kQueue);
    scene.trace().add(
        CopiesExpected{.ifq = rx.ifq().number(), .undecided = rx.peer(stream).sent() - steered});
    rx.peer(stream).send_more(2_MiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 4_MiB + more);
    rx.measure_capacity();
}

SCENARIO(teardown, device_reset, "a device reset in mid-stream costs neither byte nor buffer",
         Terms(kResetTerms).claims({"teardown.device-reset"})) {
    receive_through_reset(scene, [&scene](auto&&...) { reset_device(scene); });
}

SCENARIO(teardown, device_dies,
         "a device that dies in mid-stream and comes back costs neither byte nor buffer",
         Terms(Needs{.where = Where::kDevice,
                     .faults = true,
                     .flow_rules = true,
                     .outages = true,
                     .death = true,
                     .queues = 1})
             .claims({"teardown.device-dies"})) {
    receive_through_reset(scene, [&scene](auto&&...) { reset_device(scene, kDie); });
}

// A device that is asked to tells its driver that it is broken, or that its firmware has died.
struct ResetWay {
    const char* name;
    const char* command;
};
constexpr ResetWay kResetWays[] = {{"asked", kReset}, {"dead", kDie}};

SCENARIO_TABLE(teardown, reset_amid_packet,
               "a device reset amid a coalesced packet costs neither byte nor buffer, and no end "
               "of that packet comes later",
               Terms(Needs{.where = Where::kDevice,
                           .dma_log = true,
                           .faults = true,
                           .flow_rules = true,
                           .outages = true,
                           .death = true,
                           .emulated = true,
                           .queues = 1})
                   .claims({"teardown.reset-amid-packet"}),
               kResetWays, row) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    receive_through_reset(
        scene,
        [&](ReceivePath& rx, uint32_t stream) {
            rx.receive(2_MiB);
            leave_unfinished(scene, rx, stream);
            reset_device(scene, row.command);
            scene.must(scene.target().clear_faults());
        },
        kUnfinishedPacket);
}

// ---- a queue that goes with packets in its completion ring

SCENARIO(teardown, unread_packets,
         "a queue that goes before its driver has read its packets is as good as new when it comes "
         "back, and costs its interface no carrier",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .faults = true,
                     .emulated = true,
                     .queues = 1})
             .claims({"teardown.unread-packets"})) {
    close_with_unread_packets(scene);
}

SCENARIO(teardown, rules_after_reset, "a device reset leaves the flow rules as they are",
         Terms(kResetTerms).claims({"teardown.reset-keeps-rules"})) {
    keep_rss(scene);
    const uint32_t rule = steer_until_gone(scene, 12345, kQueue);
    reset_device(scene);
    EXPECT_TRUE(has_rule(scene, rule)) << "The device reset took the flow rule away.";
}

SCENARIO(teardown, rss_after_reset, "a device reset leaves the RSS table as it is",
         Terms(kResetTerms).claims({"teardown.reset-keeps-rss"})) {
    scene.prepare_nic();
    const Rss spread = keep_rss(scene);
    reset_device(scene);
    EXPECT_TRUE(scene.must(scene.nic().steering().rss()).table == spread.table)
        << "The device reset took the RSS table away.";
}

// ---- removal

struct Way {
    const char* name;
    DeviceRemoval::How how;
    Terms terms;
};
// A real NIC is taken away only where a person says that nobody else needs the card.
const Needs kRemoval{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .disruptive = true, .queues = 1};
const Needs kPciRemoval{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .emulated = true, .queues = 1};
// Where the kernel has it, adding an area is refused once the device is gone.
void expect_no_further_area(Scene& scene, ReceivePath& rx) {
    const Result<uapi::QueryZcrx> known = query_zcrx();
    constexpr auto kAddArea = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    if (!known || known->ctrl_opcodes <= kAddArea) return;
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, 64_KiB));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    uapi::ZcrxCtrl control{};
    control.zcrx_id = rx.ifq().zcrx_id();
    control.op = kAddArea;
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    scene.returned("ADD_AREA to an instance whose device is gone", EFAULT,
                   -control_raw(rx.ring(), control));
}

// Behind an IOMMU (zcrxlab run --iommu) the device is told what it can reach, and until when.
class Reach {
  public:
    explicit Reach(Scene& scene) : scene_(scene) {
        told_ = scene.target().abilities().emulated &&
                std::filesystem::exists("/sys/class/net/" + scene.endpoints().interface +
                                        "/device/iommu_group");
    }
    // While a driver has the device, and an area is there.
    void expect_some() const {
        if (!told_) return;
        EXPECT_GT(ranges(), 0U) << "The device can reach nothing.";
    }
    void expect_none() const {
        if (!told_) return;
        EXPECT_TRUE(scene_.becomes([&] { return ranges() == 0; }, scene_.time_left() / 4))
            << ranges() << " ranges of memory are mapped for a device that is gone.";
    }

  private:
    uint64_t ranges() const { return device_counters(scene_).at("vfio_user.dma_ranges"); }

    Scene& scene_;
    bool told_ = false;
};

const Way kWays[] = {{"driver_unbound", DeviceRemoval::How::kUnbound, kRemoval},
                     {"device_removed", DeviceRemoval::How::kRemoved, kPciRemoval}};

SCENARIO_TABLE(teardown, removal,
               "a device that goes while it receives leaves what is queued and held, and when it "
               "comes back its queues can be taken again",
               Terms(kRemoval).claims({"teardown.removal", "control.add-area-without-device"}),
               kWays, row) {
    DeviceRemoval departure(scene, row.how);
    const Reach reach(scene);
    {
        ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB},
                               .receiver = {.returns = ReturnPolicy::kNever},
                               .queue = kQueue,
                               .steer = false,
                               .uncounted = Uncounted::kNothingArrives});
        scene.prepare_nic();
        const uint32_t held = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .rate = 4_MiB});
        steer_until_gone(scene, local_port(scene, rx.socket(held)), kQueue);
        rx.peer(held).send_more(1U << 30);
        rx.receive(500000);
        const uint32_t queued = rx.connect({.bytes = 50000, .end = PeerEnd::kIdle, .armed = false});
        rx.wait_for_queued(queued, 50000);
        scene.read_dma_log();
        reach.expect_some();
        departure.leave();
        reach.expect_none();
        expect_no_further_area(scene, rx);
        rx.peer(held).stop();
        rx.arm(queued);
        const StreamState& state = rx.receiver().state(queued);
        scene.must(rx.receiver().run(scene.time_left() / 2,
                                     [&] { return state.bytes == 50000 || state.ended; }));
        EXPECT_EQ(state.bytes, 50000U);
        scene.must(rx.receiver().return_held());
        rx.abandon();
        departure.come_back();
        counts_start_over(scene, rx, {held, queued});
    }
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    rx.measure_capacity();
}

// ---- memory of the driver

// How often a pool of a name is there, as the kernel lists the DMA pools of the device
// (mm/dmapool.c:pools_show): "NAME BLOCKS_USED BLOCKS SIZE PAGES" behind a line of its own.
std::map<std::string, int> dma_pools(Scene& scene) {
    std::map<std::string, int> pools;
    std::ifstream file("/sys/class/net/" + scene.endpoints().interface + "/device/pools");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) ++pools[line.substr(0, line.find(' '))];
    return pools;
}

struct Renewal {
    const char* name;
    void (*renew)(Scene&);
};
const Renewal kRenewals[] = {
    {"reset",
     [](Scene& scene) {
         FlowSteering& steering = scene.nic().steering();
         const Rss spread = scene.must(steering.rss());
         reset_device(scene);
         scene.must(steering.set_rss({.table = spread.table}));
     }},
    {"driver_unbound",
     [](Scene& scene) {
         DeviceRemoval departure(scene, DeviceRemoval::How::kUnbound);
         departure.leave();
         departure.come_back();
     }},
};
const Needs kRenewal{.where = Where::kDevice,
                     .faults = true,
                     .flow_rules = true,
                     .outages = true,
                     .emulated = true,
                     .queues = 1};

// Told by the list of the device's pools: what is lost stays in it.
SCENARIO_TABLE(teardown, driver_memory,
               "a driver that sets its device up anew has as much DMA memory as before",
               Terms(kRenewal).claims({"teardown.driver-memory"}), kRenewals, row) {
    scene.prepare_nic();
    const auto before = dma_pools(scene);
    ASSERT_FALSE(before.empty()) << "The driver has no DMA pool, so nothing can be compared.";
    row.renew(scene);
    for (const auto& [name, times] : dma_pools(scene)) {
        const auto was = before.find(name);
        const int earlier = was == before.end() ? 0 : was->second;
        EXPECT_LE(times, earlier) << "The driver lost DMA pools: " << name << ", there " << times
                                  << " times now, and " << earlier << " times before";
    }
}

}  // namespace
}  // namespace zcrxlab::teardown_device
