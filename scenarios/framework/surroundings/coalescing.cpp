// Coalescing: the feature, the sysctl, and the largest packet of the log.
#include "scenarios/framework/surroundings/coalescing.hpp"

#include <algorithm>

#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/sysctl.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kCanBeCutAgain = "rx-gro-hw";

void send_trains(Scene& scene) {
    set_sysctl(scene, scene.endpoints().peer_namespace, "ipv4/tcp_min_tso_segs", "64");
}

}  // namespace

Result<void> coalesce(Scene& scene) {
    if (auto on = scene.nic().set_feature(kCanBeCutAgain, true); !on) return on;
    send_trains(scene);
    return {};
}

Result<void> join_for_itself(Scene& scene) {
    // Both of them, since one of them may be on by itself.
    for (const bool on : {true, false})
        if (auto set = scene.nic().set_feature(kCanBeCutAgain, on); !set) return set;
    if (auto off = scene.nic().set_feature("rx-gro", false); !off) return off;
    if (auto on = scene.nic().set_feature("rx-lro", true); !on) return on;
    send_trains(scene);
    return {};
}

size_t most_buffers_of_packet(Scene& scene, int socket) {
    size_t most = 0;
    for (const auto& packet : split_packets_of(scene, socket)) most = std::max(most, packet.size());
    return most;
}

}  // namespace zcrxlab
