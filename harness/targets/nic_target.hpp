// A NIC as target; with a control channel, an emulated one that logs its writes and takes faults.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/targets/control_channel.hpp"
#include "harness/targets/target.hpp"

namespace zcrxlab {

class NicTarget : public Target {
  public:
    // Probes the interface of `endpoints` by trying (header split is switched on and back), and
    // the control channel at `control_path`; none if that is empty.
    static Result<std::unique_ptr<NicTarget>> open(std::string name, Endpoints endpoints,
                                                   const std::string& control_path);

    std::string name() const override { return name_; }
    const Abilities& abilities() const override { return abilities_; }
    const Endpoints& endpoints() const override { return endpoints_; }
    Result<DmaWrites> take_dma_log() override;
    Result<uint32_t> inject(const FaultRule& rule) override;
    Result<void> clear_faults() override;
    Result<std::string> control(const std::string& json) override;

  private:
    NicTarget(std::string name, Endpoints endpoints)
        : name_(std::move(name)), endpoints_(std::move(endpoints)) {}
    Result<void> probe_interface();
    Result<void> probe_control(const std::string& path);

    std::string name_;
    Endpoints endpoints_;
    Abilities abilities_;
    std::optional<ControlChannel> channel_;
    uint64_t logged_ = 0;  // last sequence number that was taken
};

}  // namespace zcrxlab
