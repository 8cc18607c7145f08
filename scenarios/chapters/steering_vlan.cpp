// Chapter steering, tagged packets: a stream in a VLAN on top of the NIC.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/vlan.hpp"

namespace zcrxlab::steering_vlan {
namespace {

constexpr uint16_t kVlan = 7;
const char* const kHere = "zcrxlab-vlan";
const char* const kThere = "zcrxlab-vlanp";

struct Tag {
    const char* name;
    bool taken_off;  // by the NIC, and told beside the packet
};
constexpr Tag kTags[] = {{"tag_left_in", false}, {"tag_taken_off", true}};

// Whether a rule for a port sees through the tag is the NIC's business. Where it does not, packets
// go another way and are copied, but none is lost.
SCENARIO_TABLE(steering, vlan,
               "TCP in a VLAN arrives whole, without a copy where its rule finds it",
               Terms(Needs{
                         .where = Where::kDevice, .dma_log = true, .flow_rules = true, .queues = 1})
                   .claims({"steering.vlan"}),
               kTags, row) {
    const char* const kTakesOff = "rx-vlan-hw-parse";
    const Features features = scene.must(scene.nic().ethtool().features());
    const auto state = features.active.find(kTakesOff);
    const bool takes_off = state != features.active.end() && state->second;
    if (row.taken_off && !takes_off && std::ranges::count(features.changeable, kTakesOff) == 0)
        GTEST_SKIP() << "The NIC takes no tags off frames; type: zcrxlab run --nic bnxt";
    if (row.taken_off != takes_off) scene.must(scene.nic().set_feature(kTakesOff, row.taken_off));
    const Endpoints& ends = scene.endpoints();
    TcpOptions tcp;
    tcp.local = "198.51.100.1";
    tcp.peer = "198.51.100.2";
    if (!add_vlan(scene, {"", ends.interface, kHere, kVlan, tcp.local}) ||
        !add_vlan(scene, {ends.peer_namespace, ends.peer_interface, kThere, kVlan, tcp.peer}))
        GTEST_SKIP() << "The kernel has no VLANs (module 8021q).";
    const bool counts = scene.target().abilities().emulated;
    const uint64_t before = counts ? device_counters(scene)["rx_tags"] : 0;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1_MiB, .tcp = tcp});
    rx.receive_all();
    if (counts) {
        EXPECT_EQ(device_counters(scene)["rx_tags"] > before, row.taken_off);
    }
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    const Placement placed = placement_of(scene, rx.socket(stream), 1_MiB);
    scene.note(std::to_string(placed.split_on(rx.queue())) + " bytes came to the queue");
    scene.trace().add(placed.copies_for(rx.ifq().number(), rx.queue()));
}

}  // namespace
}  // namespace zcrxlab::steering_vlan
