// MachineObserver: the observer of a real machine: its kernel log, counters, NICs and device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/net/nic.hpp"
#include "harness/net/undo.hpp"
#include "harness/targets/control_channel.hpp"
#include "harness/targets/netdevsim_device.hpp"
#include "scenarios/runner/kernel_log.hpp"
#include "scenarios/runner/leak_detector.hpp"
#include "scenarios/runner/observer.hpp"

namespace zcrxlab {

class MachineObserver : public Observer {
  public:
    // Probes the target of the environment and brings its NIC into the state from which every
    // scenario starts: channels for several zcrx queues, header split on, RSS on queue 0 alone.
    static Result<std::unique_ptr<Observer>> create();
    // Takes that back.
    ~MachineObserver() override;

    const Surroundings& surroundings() const override { return surroundings_; }
    void mark(const std::string& text) override;
    void forget_warnings() override;
    std::vector<KernelMessage> earlier_messages() override {
        return std::exchange(earlier_messages_, {});
    }
    std::vector<KernelMessage> kernel_messages() override;
    std::vector<std::string> lost_memory() override { return leaks_.look(); }
    void each_profile(
        const std::function<void(const std::string&, const std::string&)>& take) override;
    void each_reached(
        const std::function<void(const std::string&, const std::string&)>& take) override;
    Counters counters() override;
    std::vector<std::string> who_keeps() override;
    std::vector<Nic> nics() override;
    void restore_nics() override;
    Result<bool> provider_on(const std::string& interface, uint32_t queue) override;
    Result<void> device_before() override;
    Result<DeviceTold> device_after() override;

  private:
    MachineObserver() = default;
    Result<void> prepare_nic(const Endpoints& endpoints);
    Result<void> configure_queues();
    Result<void> spread_flows();
    void probe_queue();
    Result<std::vector<PagePool>> page_pools();
    // A scenario may have taken the interface away: the one that has its name now takes its place.
    Result<void> follow_interface();

    Surroundings surroundings_;
    std::string control_path_;  // empty: no emulated NIC
    std::optional<NetdevsimDevice> simulated_;
    uint64_t logged_ = 0;   // last sequence number of the DMA log that was read
    uint64_t watched_ = 0;  // and last number of the forbidden requests
    std::optional<KernelLog> kernel_log_;
    std::vector<KernelMessage> earlier_messages_;
    LeakDetector leaks_;
    UndoStack undo_;
    std::unique_ptr<zcrxlab::Nic> nic_;
    std::vector<uint32_t> rules_before_;  // locations of flow rules that are not ours
};

}  // namespace zcrxlab
