// RulesThatGo: the undo of a rule is nothing where the rule has gone.
#include "scenarios/framework/surroundings/rules_that_go.hpp"

#include <algorithm>

namespace zcrxlab {

bool has_rule(Scene& scene, uint32_t location) {
    const auto all = scene.must(scene.nic().steering().locations());
    return std::ranges::find(all, location) != all.end();
}

uint32_t steer_until_gone(Scene& scene, uint16_t port, uint32_t queue) {
    FlowRule rule;
    rule.destination_port = port;
    rule.queue = queue;
    const uint32_t location = scene.must(scene.nic().steering().add_rule(rule));
    scene.undo_later("the flow rule", [&scene, location]() -> Result<void> {
        if (!has_rule(scene, location)) return {};
        return scene.nic().steering().remove_rule(location);
    });
    return location;
}

}  // namespace zcrxlab
