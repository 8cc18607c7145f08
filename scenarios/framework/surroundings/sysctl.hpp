// Settings below /proc/sys/net for a scenario.
#pragma once

#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Sets "ipv4/tcp_congestion_control" until the scenario ends, which it does now if there is no such
// setting. `space` is the path of a network namespace, empty for this one.
void set_sysctl(Scene& scene, const std::string& space, const std::string& name,
                const std::string& value);

}  // namespace zcrxlab
