// Translates the control channel's language into files of debugfs.
#include "harness/targets/netdevsim_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/fd.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/faults/json_text.hpp"
#include "harness/targets/netdevsim_rule.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kDevices = "/sys/bus/netdevsim/devices";
constexpr const char* kDebugfs = "/sys/kernel/debug/netdevsim";

Result<void> write_line(const std::string& file, const std::string& line) {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return error_from_errno("open " + file);
    if (::write(fd.get(), line.data(), line.size()) < 0)
        return error_from_errno("write \"" + line + "\" to " + file);
    return {};
}

// The folder of a device's only port.
std::string port_of(const std::string& device) {
    return fmt::format("{}/{}/ports/0", kDebugfs, device);
}

std::string answer(json object) {
    object["ok"] = true;
    return object.dump();
}

Error cannot(const std::string& what) {
    return {ENOTSUP, "the simulated NIC knows no \"" + what + "\"; type: zcrxlab run --nic gve"};
}

// A member of a command, or nothing where it is missing or of another type.
std::optional<uint32_t> number_in(const json& command, const char* name) {
    const auto at = command.find(name);
    if (at == command.end() || !at->is_number_unsigned() ||
        at->get<uint64_t>() > std::numeric_limits<uint32_t>::max())
        return std::nullopt;
    return static_cast<uint32_t>(at->get<uint64_t>());
}

}  // namespace

Result<NetdevsimDevice> NetdevsimDevice::open(const std::string& interface) {
    NetdevsimDevice device;
    // The peer's interface is in another namespace; its device is the one that is not ours.
    std::error_code error;
    const std::string own =
        fs::canonical("/sys/class/net/" + interface + "/device", error).filename();
    if (error) return Error{ENODEV, "there is no device behind " + interface};
    device.ports_[0] = port_of(own);
    for (const auto& entry : fs::directory_iterator(kDevices, error))
        if (entry.path().filename() != own) device.ports_[1] = port_of(entry.path().filename());

    device.faults_ = fs::exists(device.ports_[0] + "/faults", error);
    device.outages_ = fs::exists(device.ports_[0] + "/link", error);
    if (!fs::exists(device.ports_[0] + "/dma_log", error)) return device;
    auto log = NetdevsimLog::open(device.ports_[0]);
    if (!log) return log.error();
    device.log_ = std::move(*log);
    return device;
}

Result<DmaWrites> NetdevsimDevice::take_dma_log() {
    if (!log_) return Error{ENOTSUP, "this NIC does not tell what it wrote"};
    return log_->take();
}

Result<uint32_t> NetdevsimDevice::inject(const FaultRule& rule) {
    if (!faults_) return Error{ENOTSUP, "this NIC takes no fault rules"};
    // Others may have left rules behind.
    for (const KnownRule& known : known_rules()) last_rule_ = std::max(last_rule_, known.id);
    auto translated = netdevsim_rule(rule, last_rule_ + 1);
    if (!translated)
        return Error{translated.error().code, "the fault rule " + fault_rule_text(rule) + ": " +
                                                  translated.error().sentence};
    const auto written = write_line(ports_[translated->port] + "/faults", translated->line);
    if (!written) return Error{EINVAL, written.error().sentence};
    return ++last_rule_;
}

Result<void> NetdevsimDevice::clear_faults() {
    if (!faults_) return Error{ENOTSUP, "this NIC takes no fault rules"};
    for (const std::string& port : ports_)
        if (auto cleared = write_line(port + "/faults", "clear"); !cleared) return cleared;
    return {};
}

Result<void> NetdevsimDevice::clear_fault(uint32_t id) {
    for (const std::string& port : ports_)
        if (write_line(port + "/faults", fmt::format("del {}", id))) return {};
    return Error{ENOENT, fmt::format("there is no fault rule {}", id)};
}

// Lines "id=3 what=drop seen=10 hits=2".
std::vector<NetdevsimDevice::KnownRule> NetdevsimDevice::known_rules() const {
    std::vector<KnownRule> rules;
    for (const std::string& port : ports_) {
        std::ifstream file(port + "/faults");
        for (std::string line; std::getline(file, line);) {
            unsigned id = 0;
            unsigned long long seen = 0, hits = 0;
            if (std::sscanf(line.c_str(), "id=%u what=%*s seen=%llu hits=%llu", &id, &seen,
                            &hits) == 3)
                rules.push_back({id, seen, hits});
        }
    }
    return rules;
}

// Lines "rx1_packets 5"; the sum over all queues is called "rx_packets".
Result<std::string> NetdevsimDevice::read_counters() {
    json ports = json::array();
    for (const std::string& port : ports_) {
        std::map<std::string, uint64_t> counters;
        std::ifstream file(port + "/counters");
        std::string name;
        for (uint64_t value = 0; file >> name >> value;) {
            counters[name] = value;
            const size_t end = name.find('_');
            if (name.starts_with("rx") && end > 2 && end != std::string::npos)
                counters["rx" + name.substr(end)] += value;
        }
        // As the emulated NIC calls it.
        counters["rx_rsc"] = counters["rx_merged_packets"];
        ports.push_back(counters);
    }
    return answer({{"ports", ports}});
}

Result<std::string> NetdevsimDevice::control(const std::string& text) {
    const auto command = parse_strict_json(text);
    if (!command) return Error{EINVAL, "this is no command: " + command.error().sentence};
    const auto what = command->is_object() ? command->find("do") : command->end();
    if (!command->is_object() || what == command->end() || !what->is_string())
        return Error{EINVAL, "this is no command: " + short_text(*command)};
    const std::string verb = *what;
    const auto done = [](const Result<void>& result) -> Result<std::string> {
        if (!result) return result.error();
        return answer(json::object());
    };
    const uint32_t port = number_in(*command, "port").value_or(0);
    if (port >= ports_.size())
        return Error{EINVAL, fmt::format("there is no port {}; there are 0 and 1", port)};

    if (verb == "ping") return answer(json::object());
    if (verb == "counters") return read_counters();
    if (verb == "faults") {
        json rules = json::array();
        for (const KnownRule& known : known_rules())
            rules.push_back({{"id", known.id}, {"seen", known.seen}, {"hits", known.hits}});
        return answer({{"rules", rules}});
    }
    if (verb == "fault") {
        const auto rule = fault_rule_from_json(command->value("rule", json::object()));
        if (!rule) return rule.error();
        auto id = inject(*rule);
        if (!id) return id.error();
        return answer({{"id", *id}});
    }
    if (verb == "clear") {
        if (!command->contains("id")) return done(clear_faults());
        return done(clear_fault(number_in(*command, "id").value_or(0)));
    }
    if (verb == "packing" && fs::exists(ports_[port] + "/packing")) {
        const auto bytes = number_in(*command, "bytes");
        if (!bytes) return Error{EINVAL, "\"bytes\" of a packing must be a number"};
        return done(write_line(ports_[port] + "/packing", std::to_string(*bytes)));
    }
    if (verb == "link" && outages_) {
        const auto up = command->find("up");
        if (up == command->end() || !up->is_boolean())
            return Error{EINVAL, "\"up\" of a link must be true or false"};
        return done(write_line(ports_[port] + "/link", *up == json(true) ? "1" : "0"));
    }
    if (verb == "reset" && outages_) return done(write_line(ports_[port] + "/reset", "1"));
    return cannot(verb);
}

}  // namespace zcrxlab
