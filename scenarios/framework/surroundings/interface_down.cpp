// The interface goes down and up, and its IPv6 address, which goes with it, is given again.
#include "scenarios/framework/surroundings/interface_down.hpp"

namespace zcrxlab {
namespace {

Result<void> take_down(Scene& scene) {
    return scene.nic().links().set_up(scene.endpoints().interface, false);
}

Result<void> take_up(Scene& scene) {
    const Endpoints& ends = scene.endpoints();
    Links& links = scene.nic().links();
    if (auto up = links.set_up(ends.interface, true); !up) return up;
    // It has it still where the interface was up already.
    static_cast<void>(links.add_address(ends.interface, ends.local_v6, 64));
    return {};
}

}  // namespace

void while_down(Scene& scene, const std::function<void()>& then) {
    scene.must(take_down(scene));
    scene.undo_later("the interface that was down", [&scene] { return take_up(scene); });
    then();
    scene.must(take_up(scene));
}

void change_while_down(Scene& scene, const std::function<void()>& change) {
    while_down(scene, change);
    scene.undo_later("the interface that has to be down", [&scene] { return take_down(scene); });
}

}  // namespace zcrxlab
