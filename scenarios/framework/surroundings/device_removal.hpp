// DeviceRemoval: takes a device away while it is in use, and brings it back as it was set up.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

class DeviceRemoval {
  public:
    enum class How {
        kRemoved,  // taken off the PCI bus, and found there again
        kUnbound,  // its driver lets go of it, and takes it again
    };
    // Notes how the interface of the scene is set up.
    DeviceRemoval(Scene& scene, How how);

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
    uint32_t rx_ring_ = 0;
    std::vector<std::byte> rss_key_;
    std::map<std::string, bool> features_;  // as they were requested
};

}  // namespace zcrxlab
