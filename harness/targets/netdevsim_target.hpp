// The targets `netdevsim`, a NIC that the guest's own driver simulates, and `netdevsim-stock`,
// whose driver is the kernel's and refuses zero-copy receive.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>

#include "harness/targets/netdevsim_device.hpp"
#include "harness/targets/nic_target.hpp"
#include "harness/targets/target.hpp"

namespace zcrxlab {

class NetdevsimTarget : public Target {
  public:
    // Probes the interface as any NIC's.
    static Result<std::unique_ptr<NetdevsimTarget>> open(std::string name, Endpoints endpoints);

    std::string name() const override { return nic_->name(); }
    const Abilities& abilities() const override { return abilities_; }
    const Endpoints& endpoints() const override { return nic_->endpoints(); }
    Result<DmaWrites> take_dma_log() override { return device_.take_dma_log(); }
    Result<uint32_t> inject(const FaultRule& rule) override { return device_.inject(rule); }
    Result<void> clear_faults() override { return device_.clear_faults(); }
    Result<std::string> control(const std::string& json) override { return device_.control(json); }
    Result<void> reconnect() override;

  private:
    NetdevsimTarget(std::unique_ptr<NicTarget> nic, NetdevsimDevice device)
        : nic_(std::move(nic)), device_(std::move(device)), abilities_(nic_->abilities()) {}

    std::unique_ptr<NicTarget> nic_;
    NetdevsimDevice device_;
    Abilities abilities_;
    sockaddr address_{};  // of Ethernet; a driver that is bound again makes another one up
};

}  // namespace zcrxlab
