// Chapter teardown, devices that go away: reset, driver unbound, removed, while a ring has a queue.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "scenarios/form/lane.hpp"
#include "scenarios/form/queue_count.hpp"
#include "scenarios/form/scenario.hpp"
#include "scenarios/form/sizes.hpp"

namespace zcrxlab::teardown_device {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kQueue = 1;

void wait_until(Scene& scene, const std::string& what, const std::function<bool()>& condition) {
    while (!condition()) {
        if (scene.time_left() == 0ms) scene.give_up("It did not happen in time: " + what + ".");
        std::this_thread::sleep_for(2ms);
    }
}

uint16_t port_of(int socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

bool has_rule(Scene& scene, uint32_t location) {
    const auto all = scene.must(scene.nic().steering().locations());
    return std::find(all.begin(), all.end(), location) != all.end();
}

// The device may forget the rule before the scenario ends.
uint32_t steer_to_queue(Scene& scene, uint16_t port) {
    FlowRule rule;
    rule.destination_port = port;
    rule.queue = kQueue;
    const uint32_t location = scene.must(scene.nic().steering().add_rule(rule));
    scene.undo_later("the flow rule", [&scene, location]() -> Result<void> {
        if (!has_rule(scene, location)) return {};
        return scene.nic().steering().remove_rule(location);
    });
    return location;
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
    const std::string answer = scene.must(scene.target().control(R"({"do":"counters"})"));
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (json.is_discarded() || !json.contains("ports"))
        scene.give_up("The device's counters are not understood: " + answer);
    return json["ports"][0].value("resets", int64_t{0});
}

// Until the driver has set its device up again.
void reset_device(Scene& scene) {
    const int64_t before = resets(scene);
    scene.must(scene.target().control(R"({"do":"reset","port":0})"));
    wait_until(scene, "the driver reset its device", [&] { return resets(scene) > before; });
    wait_until(scene, "the interface has a link again", [&] {
        const auto link = scene.nic().links().get(scene.endpoints().interface);
        return link && link->carrier && scene.nic().netdev().receive_queue(kQueue);
    });
}

const Terms kResetTerms = Needs{
    .where = Where::kDevice, .faults = true, .flow_rules = true, .outages = true, .queues = 1};

// What comes while no rule is there is copied.
SCENARIO(teardown, device_reset, "a device reset in mid-stream costs neither byte nor buffer",
         Terms(kResetTerms).claims({"teardown.device-reset"})) {
    scene.prepare_nic();
    const Rss spread = keep_rss(scene);
    Lane lane(scene, {.ifq = {.area_size = 6_MiB, .zero_copy_expected = false},
                      .receiver = {.returns = ReturnPolicy::kHold, .hold = 200},
                      .queue = kQueue,
                      .steer = false});
    const uint32_t stream = lane.connect({.bytes = 4_MiB, .rate = 4_MiB});
    const uint16_t port = port_of(lane.socket(stream));
    uint32_t rule = steer_to_queue(scene, port);
    lane.receive(1_MiB);
    reset_device(scene);
    scene.must(scene.nic().steering().set_rss({.table = spread.table}));
    if (!has_rule(scene, rule)) rule = steer_to_queue(scene, port);
    lane.receive_all();
    EXPECT_EQ(lane.receiver().state(stream).bytes, 4_MiB);
    lane.measure_capacity();
}

SCENARIO(teardown, rules_after_reset, "a device reset leaves the flow rules as they are",
         Terms(kResetTerms).claims({"teardown.reset-keeps-rules"})) {
    keep_rss(scene);
    const uint32_t rule = steer_to_queue(scene, 12345);
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

void write_to(Scene& scene, const std::string& file, const std::string& text) {
    const Fd to(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!to || ::write(to.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        scene.must(Result<void>(error_from_errno("write " + text + " to " + file)));
}

// The device of the interface, as sysfs has it, and its driver.
struct Function {
    std::string device;
    std::string driver;
};
Function function_of(const std::string& interface) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path device = fs::canonical("/sys/class/net/" + interface + "/device", error);
    return {device, fs::canonical(device / "driver", error)};
}
std::string address_of(const Function& function) {
    return std::filesystem::path(function.device).filename();
}

struct Departure {
    const char* name;
    void (*leave)(Scene&, const Function&);
    void (*come)(Scene&, const Function&);
    Terms terms;
};
// A real NIC is taken away only where a person says that nobody else needs the card.
const Needs kRemoval{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .disruptive = true, .queues = 1};
const Needs kPciRemoval{
    .where = Where::kDevice, .flow_rules = true, .outages = true, .emulated = true, .queues = 1};
const Departure kDepartures[] = {
    {"driver_unbound",
     [](Scene& s, const Function& f) { write_to(s, f.driver + "/unbind", address_of(f)); },
     [](Scene& s, const Function& f) { write_to(s, f.driver + "/bind", address_of(f)); }, kRemoval},
    {"device_removed", [](Scene& s, const Function& f) { write_to(s, f.device + "/remove", "1"); },
     [](Scene& s, const Function&) { write_to(s, "/sys/bus/pci/rescan", "1"); }, kPciRemoval},
};

// The interface as scenarios find it, under its old name.
void set_up_again(Scene& scene, const Function& function, uint32_t channels, uint32_t mtu) {
    const Endpoints& ends = scene.endpoints();
    namespace fs = std::filesystem;
    wait_until(scene, "the driver made " + ends.interface + " again",
               [&] { return fs::exists(function.device + "/net/" + ends.interface); });
    scene.forget_nic();
    scene.must(scene.target().reconnect());
    Nic& nic = scene.nic();
    scene.must(nic.links().set_up(ends.interface, true));
    scene.must(nic.links().add_address(ends.interface, ends.local_v4, 24));
    scene.must(nic.links().add_address(ends.interface, ends.local_v6, 64));
    UndoStack none;
    Nic quiet = scene.must(Nic::open(ends.interface, none));
    scene.must(quiet.set_mtu(mtu));
    scene.must(quiet.set_queues(channels));
    scene.must(quiet.set_feature("rx-ntuple-filter", true));
    scene.must(quiet.enable_header_split());
    scene.must(quiet.spread_over_first(1));
    while (none.size() != 0) none.dismiss_newest();
    wait_until(scene, "the interface has a link", [&] {
        const auto link = nic.links().get(ends.interface);
        return link && link->carrier;
    });
}

SCENARIO_TABLE(teardown, removal,
               "a device that goes while it receives leaves what is queued and held, and when it "
               "comes back its queues can be taken again",
               Terms(kRemoval).claims({"teardown.removal"}), kDepartures, row) {
    const Function function = function_of(scene.endpoints().interface);
    const uint32_t channels = scene.must(scene.nic().ethtool().channels()).receive();
    const uint32_t mtu = scene.must(scene.nic().links().get(scene.endpoints().interface)).mtu;
    {
        Lane lane(scene, {.ifq = {.area_size = 6_MiB},
                          .receiver = {.returns = ReturnPolicy::kNever},
                          .queue = kQueue,
                          .steer = false});
        scene.prepare_nic();
        const uint32_t held = lane.connect({.bytes = 0, .end = PeerEnd::kIdle, .rate = 4_MiB});
        steer_to_queue(scene, port_of(lane.socket(held)));
        lane.peer(held).send_more(1U << 30);
        lane.receive(500000);
        const uint32_t queued =
            lane.connect({.bytes = 50000, .end = PeerEnd::kIdle, .armed = false});
        lane.wait_for_queued(queued, 50000);
        scene.read_dma_log();
        row.leave(scene, function);
        lane.peer(held).stop();
        lane.arm(queued);
        const StreamState& state = lane.receiver().state(queued);
        scene.must(lane.receiver().run(scene.time_left() / 2,
                                       [&] { return state.bytes == 50000 || state.ended; }));
        EXPECT_EQ(state.bytes, 50000U);
        scene.must(lane.receiver().return_held());
        lane.abandon();
        row.come(scene, function);
        set_up_again(scene, function, channels, mtu);
        counts_start_over(scene, lane, {held, queued});
    }
    Lane lane(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    lane.connect({.bytes = 1_MiB});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 1_MiB);
    lane.measure_capacity();
}

// ---- memory of the driver

// How often a pool of a name is there, as the kernel lists the DMA pools of the device
// (mm/dmapool.c:pools_show): "NAME BLOCKS_USED BLOCKS SIZE PAGES" behind a line of its own.
std::map<std::string, int> dma_pools(const Function& function) {
    std::map<std::string, int> pools;
    std::ifstream file(function.device + "/pools");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) ++pools[line.substr(0, line.find(' '))];
    return pools;
}

struct Renewal {
    const char* name;
    void (*renew)(Scene&, const Function&);
};
const Renewal kRenewals[] = {
    {"reset",
     [](Scene& scene, const Function&) {
         FlowSteering& steering = scene.nic().steering();
         const Rss spread = scene.must(steering.rss());
         reset_device(scene);
         scene.must(steering.set_rss({.table = spread.table}));
     }},
    {"driver_unbound",
     [](Scene& scene, const Function& function) {
         const uint32_t channels = scene.must(scene.nic().ethtool().channels()).receive();
         const uint32_t mtu = scene.must(scene.nic().links().get(scene.endpoints().interface)).mtu;
         write_to(scene, function.driver + "/unbind", address_of(function));
         write_to(scene, function.driver + "/bind", address_of(function));
         set_up_again(scene, function, channels, mtu);
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
    const Function function = function_of(scene.endpoints().interface);
    const auto before = dma_pools(function);
    ASSERT_FALSE(before.empty()) << "The driver has no DMA pool, so nothing can be compared.";
    row.renew(scene, function);
    for (const auto& [name, times] : dma_pools(function)) {
        const auto was = before.find(name);
        const int earlier = was == before.end() ? 0 : was->second;
        EXPECT_LE(times, earlier) << "The driver lost DMA pools: " << name << ", there " << times
                                  << " times now, and " << earlier << " times before";
    }
}

}  // namespace
}  // namespace zcrxlab::teardown_device
