// Reads the environment that guest init or lab mode set, and makes the target it describes.
#include <charconv>
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
    // "nic" is any NIC, with a driver of which nothing is known here.
    if (kind != "gve" && kind != "nic" && !simulated) {
        const std::string known = "gve, nic, netdevsim, netdevsim-stock or nodev";
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
    if (kind == "nic") {
        endpoints.shared = variable("ZCRXLAB_DISRUPTIVE").empty();
        const std::string queue = variable("ZCRXLAB_QUEUE");
        if (!queue.empty()) {
            const auto [end, error] =
                std::from_chars(queue.data(), queue.data() + queue.size(), endpoints.first_queue);
            if (error != std::errc() || end != queue.data() + queue.size())
                return Error{EINVAL, "ZCRXLAB_QUEUE is \"" + queue + "\", which is no number"};
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
