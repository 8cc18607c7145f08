// Reads the environment that guest init or lab mode set, and makes the target it describes.
#include <cstdlib>

#include "harness/base/environment.hpp"
#include "harness/base/number.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/targets/netdevsim_target.hpp"
#include "harness/targets/nic_target.hpp"
#include "harness/targets/nodev_target.hpp"
#include "harness/targets/target.hpp"

namespace zcrxlab {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string known_targets() {
    std::string names;
    for (const NicRow& row : nic_rows())
        if (!row.for_tests && find_target(row.name) == &row)
            names.append(names.empty() ? "" : ", ").append(row.target);
    return names;
}

}  // namespace

Result<std::unique_ptr<Target>> target_from_environment() {
    const std::string kind = variable(environment::kTarget);
    const NicRow* nic = find_target(kind);
    if (nic == nullptr) {
        const std::string known = "one of " + known_targets();
        return Error{EINVAL, kind.empty()
                                 ? "ZCRXLAB_TARGET is not set; set it to " + known
                                 : "ZCRXLAB_TARGET is \"" + kind + "\"; it must be " + known};
    }
    if (nic->place == NicPlace::kNowhere)
        return std::unique_ptr<Target>(std::make_unique<NodevTarget>());
    Endpoints endpoints;
    const std::pair<const char*, std::string*> members[] = {
        {environment::kInterface, &endpoints.interface},
        {environment::kLocalV4, &endpoints.local_v4},
        {environment::kLocalV6, &endpoints.local_v6},
        {environment::kRemoteV4, &endpoints.peer_v4},
        {environment::kRemoteV6, &endpoints.peer_v6},
        {environment::kPeerInterface, &endpoints.peer_interface},
        {environment::kPeerNamespace, &endpoints.peer_namespace},
    };
    for (const auto& [name, member] : members) {
        *member = variable(name);
        if (member->empty()) {
            return Error{EINVAL, std::string(name) + " is not set; the target " + kind +
                                     " needs it (guest init sets it from the NICs it finds)"};
        }
    }
    if (nic->place == NicPlace::kThisMachine) {
        endpoints.shared = variable(environment::kDisruptive).empty();
        const std::string queue = variable(environment::kQueue);
        if (!queue.empty()) {
            const auto number = number_from<decltype(endpoints.first_queue)>(queue);
            if (!number)
                return Error{EINVAL, "ZCRXLAB_QUEUE is \"" + queue + "\", which is no number"};
            endpoints.first_queue = *number;
        }
    }
    if (nic->place == NicPlace::kGuestDriver) {
        auto target = NetdevsimTarget::open(kind, std::move(endpoints));
        if (!target) return target.error();
        return std::unique_ptr<Target>(std::move(*target));
    }
    auto target = NicTarget::open(kind, std::move(endpoints), variable(environment::kControl));
    if (!target) return target.error();
    return std::unique_ptr<Target>(std::move(*target));
}

}  // namespace zcrxlab
