// Puts what the interface can do together with what the simulated device can.
#include "harness/target/netdevsim_target.hpp"

namespace zcrxlab {

Result<std::unique_ptr<NetdevsimTarget>> NetdevsimTarget::open(Endpoints endpoints) {
    auto device = NetdevsimDevice::open(endpoints.interface);
    if (!device) return device.error();
    auto nic = NicTarget::open("netdevsim", std::move(endpoints), "");
    if (!nic) return nic.error();
    std::unique_ptr<NetdevsimTarget> target(
        new NetdevsimTarget(std::move(*nic), std::move(*device)));
    target->abilities_.dma_log = target->device_.has_log();
    target->abilities_.faults = target->device_.takes_faults();
    return target;
}

}  // namespace zcrxlab
