// Mirror: what comes in at the NIC goes to an interface too, or instead (tc: matchall, mirred).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

struct MirrorPlan {
    std::string target;     // the other interface
    bool redirect = false;  // instead of going on
    bool in = false;        // as if it had come in there; else it is sent from there
};

class Mirror {
  public:
    // From now on, for IPv4 packets. Null where the kernel has not the modules for it.
    static std::unique_ptr<Mirror> add(Scene& scene, const MirrorPlan& plan);
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;
    // No more; at the latest when the scenario ends.
    ~Mirror();

  private:
    Mirror(Scene& scene, int interface, std::shared_ptr<bool> there)
        : scene_(scene), interface_(interface), there_(std::move(there)) {}
    Scene& scene_;
    int interface_;                // of the NIC
    std::shared_ptr<bool> there_;  // the undo looks, too
};

}  // namespace zcrxlab
