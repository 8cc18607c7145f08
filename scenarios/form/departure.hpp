// Departure: a device that goes away while it is in use, and comes back as it was set up before.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "scenarios/form/scene.hpp"

namespace zcrxlab {

class Departure {
  public:
    enum class How {
        kRemoved,  // taken off the PCI bus, and found there again
        kUnbound,  // its driver lets go of it, and takes it again
    };
    // Notes how the interface of the scene is set up.
    Departure(Scene& scene, How how);

    // Gives the scenario up where sysfs refuses.
    void leave();
    // The interface has its old name, addresses, queues, MTU, features, header split and link when
    // this returns.
    void come_back();

  private:
    void set_up_again();

    Scene& scene_;
    How how_;
    std::string device_, driver_;  // of the interface, as sysfs has them
    uint32_t queues_ = 0, mtu_ = 0;
    std::map<std::string, bool> features_;  // as they were
};

}  // namespace zcrxlab
