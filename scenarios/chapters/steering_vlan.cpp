// Chapter steering, tagged packets: a stream in a VLAN on top of the NIC.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/vlan.hpp"

namespace zcrxlab::steering_vlan {
namespace {

constexpr uint16_t kVlan = 7;
constexpr const char* kNoVlans = "The kernel has no VLANs (module 8021q).";
const char* const kHere = "zcrxlab-vlan";
const char* const kThere = "zcrxlab-vlanp";

struct Tag {
    const char* name;
    bool taken_off;  // by the NIC, and told beside the packet
};
// Has the NIC do so; why it cannot, in a sentence.
Result<void> take_tags_off(Scene& scene, bool wanted) {
    const char* const kTakesOff = "rx-vlan-hw-parse";
    const Features features = scene.must(scene.nic().ethtool().features());
    const auto state = features.active.find(kTakesOff);
    const bool takes_off = state != features.active.end() && state->second;
    if (wanted == takes_off) return {};
    if (std::ranges::count(features.changeable, kTakesOff) == 0)
        return Error{EOPNOTSUPP, "The NIC takes no tags off frames; type: zcrxlab run --nic bnxt"};
    return scene.nic().set_feature(kTakesOff, wanted);
}

// A VLAN on top of both ends, and the addresses there; nothing where the kernel has none.
std::optional<TcpOptions> in_vlan(Scene& scene) {
    const Endpoints& ends = scene.endpoints();
    TcpOptions tcp;
    tcp.local = "198.51.100.1";
    tcp.peer = "198.51.100.2";
    if (!add_vlan(scene, {"", ends.interface, kHere, kVlan, tcp.local}) ||
        !add_vlan(scene, {ends.peer_namespace, ends.peer_interface, kThere, kVlan, tcp.peer}))
        return {};
    return tcp;
}

constexpr Tag kTags[] = {{"tag_left_in", false}, {"tag_taken_off", true}};

// Whether a rule for a port sees through the tag is the NIC's business. Where it does not, packets
// go another way and are copied, but none is lost.
SCENARIO_TABLE(steering, vlan,
               "TCP in a VLAN arrives whole, without a copy where its rule finds it",
               Terms(Needs{
                         .where = Where::kDevice, .dma_log = true, .flow_rules = true, .queues = 1})
                   .claims({"steering.vlan"}),
               kTags, row) {
    if (const auto taken = take_tags_off(scene, row.taken_off); !taken)
        GTEST_SKIP() << taken.error().sentence;
    const auto tcp = in_vlan(scene);
    if (!tcp) GTEST_SKIP() << kNoVlans;
    const bool counts = scene.target().abilities().emulated;
    const uint64_t before = counts ? device_counters(scene)["rx_tags"] : 0;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1_MiB, .tcp = *tcp});
    rx.receive_all();
    if (counts) {
        EXPECT_EQ(device_counters(scene)["rx_tags"] > before, row.taken_off);
    }
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    const Placement placed = placement_of(scene, rx.socket(stream), 1_MiB);
    scene.note(std::to_string(placed.split_on(rx.queue())) + " bytes came to the queue");
    scene.trace().add(placed.copies_for(rx.ifq().number(), rx.queue()));
}

// The tags that NICs take off are of more protocols than the kernel knows.
void receive_with_foreign_tags(Scene& scene, bool coalesced) {
    constexpr uint64_t kHits = 5;
    if (const auto taken = take_tags_off(scene, true); !taken)
        GTEST_SKIP() << taken.error().sentence;
    if (const auto set = scene.nic().set_feature("rx-gro-hw", coalesced); !set)
        GTEST_SKIP() << set.error().sentence;
    const auto tcp = in_vlan(scene);
    if (!tcp) GTEST_SKIP() << kNoVlans;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .tcp = *tcp});
    scene.inject({.what = FaultKind::kForeignTag,
                  .match = {.protocol = FaultProtocol::kTcp,
                            .payload = true,
                            .destination_port = local_port(scene, rx.socket(stream)),
                            .skip = 3,
                            .every = 9,
                            .count = kHits}});
    rx.peer(stream).send_more(1_MiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(fault_hits(scene), kHits);
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    const Placement placed = placement_of(scene, rx.socket(stream), 1_MiB);
    scene.trace().add(placed.copies_for(rx.ifq().number(), rx.queue()));
}

const Terms kForeign = Terms(Needs{.where = Where::kDevice,
                                   .dma_log = true,
                                   .faults = true,
                                   .flow_rules = true,
                                   .emulated = true,
                                   .queues = 1})
                           .claims({"steering.foreign-tag"});

SCENARIO(
    steering, foreign_tag,
    "a packet of which the NIC has taken a tag off of a protocol that the kernel does not know "
    "is dropped, and its stream arrives whole nevertheless",
    kForeign) {
    receive_with_foreign_tags(scene, false);
}

// Not every kernel is as good as new behind it.
SCENARIO(
    alone, foreign_tag_coalesced,
    "a coalesced packet of which the NIC has taken a tag off of a protocol that the kernel does "
    "not know is dropped, and its stream arrives whole nevertheless",
    kForeign) {
    receive_with_foreign_tags(scene, true);
}

}  // namespace
}  // namespace zcrxlab::steering_vlan
