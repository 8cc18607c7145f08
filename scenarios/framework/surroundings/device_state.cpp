// DeviceState: answers of the control channel as numbers, and rx-buf-len.
#include "scenarios/framework/surroundings/device_state.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

namespace zcrxlab {

namespace {

nlohmann::json ask(Scene& scene, const char* command, const char* member) {
    const std::string answer = scene.must(scene.control(command));
    auto json = nlohmann::json::parse(answer, nullptr, false);
    if (!json.is_object() || !json.contains(member) || !json[member].is_array())
        scene.give_up(std::string("The device's answer to ") + command + " has no " + member + ".");
    return std::move(json[member]);
}

constexpr const char* kNoCommandFault = R"({"do":"command_fault","port":0,"count":0})";

// `which`: keys of the order. `told` stands in the list of actions, since none can do the same.
void fail_commands(Scene& scene, nlohmann::json which, const char* told) {
    which["do"] = "command_fault";
    which["port"] = 0;
    scene.must(scene.control(which.dump()));
    // A driver may complain.
    scene.trace().add(FaultInjected{which.dump()});
    scene.done(told);
    scene.undo_later("failed commands", [&scene]() -> Result<void> {
        auto right = scene.control(kNoCommandFault);
        if (!right) return right.error();
        return {};
    });
}

}  // namespace

std::map<std::string, uint64_t> device_counters(Scene& scene, unsigned port) {
    std::map<std::string, uint64_t> counters;
    const nlohmann::json ports = ask(scene, R"({"do":"counters"})", "ports");
    if (port >= ports.size()) return counters;
    for (const auto& [name, value] : ports[port].items())
        if (value.is_number_unsigned()) counters[name] = value.get<uint64_t>();
    return counters;
}

void set_link(Scene& scene, bool up) {
    scene.must(
        scene.control(std::string(R"({"do":"link","port":0,"up":)") + (up ? "true}" : "false}")));
    scene.done(std::string("link up=") + (up ? "yes" : "no"));
    if (up) return;
    scene.undo_later("link", [&scene]() -> Result<void> {
        auto again = scene.control(R"({"do":"link","port":0,"up":true})");
        if (!again) return again.error();
        return {};
    });
}

uint64_t fault_hits(Scene& scene) {
    const std::vector<uint64_t> hits = fault_hits_of_each(scene);
    return std::accumulate(hits.begin(), hits.end(), uint64_t{0});
}

std::vector<uint64_t> fault_hits_of_each(Scene& scene) {
    std::vector<uint64_t> hits;
    for (const nlohmann::json& rule : ask(scene, R"({"do":"faults"})", "rules"))
        hits.push_back(rule.value("hits", uint64_t{0}));
    return hits;
}

uint32_t carrier_losses(Scene& scene) {
    return scene.must(scene.nic().links().get(scene.endpoints().interface)).carrier_losses;
}

void refuse_commands(Scene& scene, const std::string& command, uint64_t count) {
    fail_commands(scene, {{"command", command}, {"count", count}},
                  "# commands of the driver that the device refuses");
}

void leave_commands_unanswered(Scene& scene) {
    fail_commands(scene, {{"answer", "none"}},
                  "# commands of the driver that the device does not answer");
}

void answer_commands(Scene& scene) {
    scene.must(scene.control(kNoCommandFault));
}

uint64_t commands_refused(Scene& scene) {
    return device_counters(scene)["command_faults"];
}

bool pack_packets(Scene& scene, uint32_t bytes) {
    const auto order = [](uint32_t apart) {
        return nlohmann::json{{"do", "packing"}, {"port", 0}, {"bytes", apart}}.dump();
    };
    if (!scene.control(order(bytes))) return false;
    scene.undo_later("packing", [&scene, order]() -> Result<void> {
        auto apart = scene.control(order(0));
        if (!apart) return apart.error();
        return {};
    });
    return true;
}

bool use_receive_buffers(Scene& scene, uint32_t bytes) {
    Ethtool& ethtool = scene.nic().ethtool();
    const RingSizes before = scene.must(ethtool.rings());
    if (!before.rx_buf_len) return false;
    if (*before.rx_buf_len == bytes) return true;
    scene.must(ethtool.set_rings({.rx_buf_len = bytes}));
    scene.undo_later("rx-buf-len", [&ethtool, length = before.rx_buf_len] {
        return ethtool.set_rings({.rx_buf_len = length});
    });
    return true;
}

}  // namespace zcrxlab
