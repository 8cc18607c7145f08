// Adds a VLAN, and takes it away again.
#include "scenarios/framework/surroundings/vlan.hpp"

#include <cerrno>

#include "harness/net/link.hpp"
#include "harness/net/namespace.hpp"

namespace zcrxlab {

bool add_vlan(Scene& scene, const VlanPlan& plan) {
    const Result<void> added = in_namespace(plan.space, [&]() -> Result<void> {
        Result<Links> links = Links::open();
        if (!links) return links.error();
        if (auto made = links->add_vlan(plan.name, plan.lower, plan.id); !made) return made;
        if (auto set = links->set_mtu(plan.name, plan.mtu); !set) return set;
        if (auto given = links->add_address(plan.name, plan.address, 24); !given) return given;
        return links->set_up(plan.name, true);
    });
    if (!added && added.error().code == EOPNOTSUPP) return false;
    scene.must(added);
    scene.undo_later("the VLAN " + plan.name, [space = plan.space, name = plan.name] {
        return in_namespace(space, [&]() -> Result<void> {
            Result<Links> links = Links::open();
            return links ? links->remove(name) : Result<void>(links.error());
        });
    });
    return true;
}

}  // namespace zcrxlab
