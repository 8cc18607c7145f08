// Reads the environment that guest init or lab mode set, and makes the target it describes.
#include <cstdlib>

#include "harness/target/netdevsim_target.hpp"
#include "harness/target/nic_target.hpp"
#include "harness/target/nodev_target.hpp"
#include "harness/target/target.hpp"

namespace zcrxlab {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

Result<std::unique_ptr<Target>> target_from_environment() {
    const std::string kind = variable("ZCRXLAB_TARGET");
    if (kind == "nodev") return std::unique_ptr<Target>(std::make_unique<NodevTarget>());
    const bool simulated = kind == "netdevsim" || kind == "netdevsim-stock";
    if (kind != "gve" && !simulated) {
        const std::string known = "gve, netdevsim, netdevsim-stock or nodev";
        return Error{EINVAL, kind.empty()
                                 ? "ZCRXLAB_TARGET is not set; set it to " + known
                                 : "ZCRXLAB_TARGET is \"" + kind + "\"; it must be " + known};
    }
    Endpoints endpoints;
    const std::pair<const char*, std::string*> members[] = {
        {"NETIF", &endpoints.interface},
        {"LOCAL_V4", &endpoints.local_v4},
        {"LOCAL_V6", &endpoints.local_v6},
        {"REMOTE_V4", &endpoints.peer_v4},
        {"REMOTE_V6", &endpoints.peer_v6},
        {"ZCRXLAB_PEER_NETIF", &endpoints.peer_interface},
        {"ZCRXLAB_PEER_NETNS", &endpoints.peer_namespace},
    };
    for (const auto& [name, member] : members) {
        *member = variable(name);
        if (member->empty()) {
            return Error{EINVAL, std::string(name) + " is not set; the target " + kind +
                                     " needs it (guest init sets it from the NICs it finds)"};
        }
    }
    if (simulated) {
        auto target = NetdevsimTarget::open(kind, std::move(endpoints));
        if (!target) return target.error();
        return std::unique_ptr<Target>(std::move(*target));
    }
    auto target = NicTarget::open(kind, std::move(endpoints), variable("ZCRXLAB_CONTROL"));
    if (!target) return target.error();
    return std::unique_ptr<Target>(std::move(*target));
}

}  // namespace zcrxlab
