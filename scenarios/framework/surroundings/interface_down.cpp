// The interface goes down and up, and its IPv6 address, which goes with it, is given again.
#include "scenarios/framework/surroundings/interface_down.hpp"

namespace zcrxlab {
namespace {

Result<void> take_up(Scene& scene) {
    const Endpoints& ends = scene.endpoints();
    Links& links = scene.nic().links();
    if (auto up = links.set_up(ends.interface, true); !up) return up;
    static_cast<void>(links.add_address(ends.interface, ends.local_v6, 64));
    return {};
}

}  // namespace

void change_while_down(Scene& scene, const std::function<void()>& change) {
    const auto take_down = [&scene] {
        return scene.nic().links().set_up(scene.endpoints().interface, false);
    };
    scene.must(take_down());
    scene.undo_later("the interface that was down", [&scene] { return take_up(scene); });
    change();
    scene.must(take_up(scene));
    scene.undo_later("the interface that has to be down", take_down);
}

}  // namespace zcrxlab
