// The target `nodev`: ZCRX_REG_NODEV over loopback, where everything is copied.
#pragma once

#include "harness/nics/nic_table.hpp"
#include "harness/targets/target.hpp"

namespace zcrxlab {

class NodevTarget : public Target {
  public:
    NodevTarget();

    std::string name() const override { return std::string(nic_at(NicPlace::kNowhere).name); }
    const Abilities& abilities() const override { return abilities_; }
    const Endpoints& endpoints() const override { return endpoints_; }
    Result<DmaWrites> take_dma_log() override;
    Result<uint32_t> inject(const FaultRule& rule) override;
    Result<void> clear_faults() override;
    Result<std::string> control(const std::string& json) override;

  private:
    Abilities abilities_;
    Endpoints endpoints_;
};

}  // namespace zcrxlab
