// Finds out what a NIC and its control channel can do, and passes commands on.
#include "harness/targets/nic_target.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/base/json.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

// 3.5 MiB in an answer.
constexpr uint32_t kEntriesAtOnce = 65536;

}  // namespace

Result<std::unique_ptr<NicTarget>> NicTarget::open(std::string name, Endpoints endpoints,
                                                   const std::string& control_path) {
    std::unique_ptr<NicTarget> target(new NicTarget(std::move(name), std::move(endpoints)));
    if (auto probed = target->probe_interface(); !probed) return probed.error();
    if (!control_path.empty()) {
        if (auto probed = target->probe_control(control_path); !probed) return probed.error();
    }
    return target;
}

Result<void> NicTarget::probe_interface() {
    UndoStack undo;
    auto nic = Nic::open(endpoints_.interface, undo);
    if (!nic) return nic.error();
    if (auto channels = nic->ethtool().channels()) abilities_.queues = channels->receive();
    if (auto capacity = nic->steering().capacity()) abilities_.flow_rules = *capacity > 0;
    // Trying switches nothing where it is on already; what it changes the undo puts back.
    abilities_.header_split = nic->enable_header_split().ok();
    abilities_.zero_copy = abilities_.header_split && abilities_.queues > 0;
    // It goes and comes with its driver; who does that to a card of others is asked elsewhere.
    std::error_code error;
    abilities_.outages = std::filesystem::exists(
        "/sys/class/net/" + endpoints_.interface + "/device/driver/unbind", error);
    const auto failed = undo.run();
    if (!failed.empty()) return failed.front();
    return {};
}

Result<void> NicTarget::probe_control(const std::string& path) {
    auto channel = ControlChannel::open(path);
    if (!channel) return channel.error();
    channel_ = std::move(*channel);
    abilities_.emulated = abilities_.outages = true;
    abilities_.faults = channel_->call(R"({"do":"faults"})").ok();
    // What was logged before belongs to nobody here.
    auto log = channel_->log(UINT64_MAX, 1);
    abilities_.dma_log = log.ok();
    if (log) logged_ = log->newest;
    return {};
}

Result<DmaWrites> NicTarget::take_dma_log() {
    if (!abilities_.dma_log) return Error{ENOTSUP, "this NIC does not tell what it wrote"};
    DmaWrites all;
    std::map<uint32_t, DmaLogFlow> flows;
    for (;;) {
        auto log = channel_->log(logged_, kEntriesAtOnce);
        if (!log) return log.error();
        const DmaWrites& part = log->writes;
        all.lost += part.lost;
        if (part.entries.empty()) break;
        if (log->last <= logged_)
            return Error{EPROTO,
                         "the device's log does not go on behind " + std::to_string(logged_)};
        logged_ = log->last;
        all.entries.insert(all.entries.end(), part.entries.begin(), part.entries.end());
        for (const DmaLogFlow& flow : part.flows) flows.insert_or_assign(flow.flow, flow);
        if (part.entries.size() < kEntriesAtOnce) break;
    }
    for (const auto& [index, flow] : flows) all.flows.push_back(flow);
    return all;
}

Result<uint32_t> NicTarget::inject(const FaultRule& rule) {
    if (!abilities_.faults) return Error{ENOTSUP, "this NIC takes no fault rules"};
    const nlohmann::ordered_json command = {{"do", "fault"}, {"rule", fault_rule_to_json(rule)}};
    auto line = channel_->call(json_text(command));
    if (!line) {
        if (line.error().code == EREMOTEIO) return Error{EINVAL, line.error().sentence};
        return line.error();
    }
    const auto answer = parse_json(*line);
    const auto id = answer ? get<uint32_t>(*answer, "id") : std::nullopt;
    if (!id) return Error{EPROTO, "the device gave no id for a fault rule: " + *line};
    return *id;
}

Result<void> NicTarget::clear_faults() {
    if (!abilities_.faults) return Error{ENOTSUP, "this NIC takes no fault rules"};
    auto line = channel_->call(R"({"do":"clear"})");
    if (!line) return line.error();
    return {};
}

Result<std::string> NicTarget::control(const std::string& json) {
    if (!channel_) return Error{ENOTSUP, "this NIC has no control channel"};
    return channel_->call(json);
}

}  // namespace zcrxlab
