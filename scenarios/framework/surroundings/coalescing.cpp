// Coalescing: the feature, the sysctl, and the largest packet of the log.
#include "scenarios/framework/surroundings/coalescing.hpp"

#include <algorithm>

#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/sysctl.hpp"

namespace zcrxlab {

Result<void> coalesce(Scene& scene) {
    if (auto on = scene.nic().set_feature("rx-gro-hw", true); !on) return on;
    set_sysctl(scene, scene.endpoints().peer_namespace, "ipv4/tcp_min_tso_segs", "64");
    return {};
}

size_t most_buffers_of_packet(Scene& scene, int socket) {
    size_t most = 0;
    for (const auto& packet : split_packets_of(scene, socket)) most = std::max(most, packet.size());
    return most;
}

}  // namespace zcrxlab
