// LabNetwork: the addresses of a run, from ranges that nobody routes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/net/routes.hpp"

namespace zcrxlab {

struct LabNetwork {
    std::string local_v4, peer_v4, local_v6, peer_v6;  // without a prefix length

    std::vector<std::string> local() const { return {local_v4 + "/24", local_v6 + "/64"}; }
    std::vector<std::string> peer() const { return {peer_v4 + "/24", peer_v6 + "/64"}; }
};

// The first network of 198.18.0.0/15 (RFC 2544, for tests of devices) with its counterpart of
// fd00::/8 that overlaps no route but default ones; nothing if all do.
std::optional<LabNetwork> free_network(const std::vector<Route>& routes);

}  // namespace zcrxlab
