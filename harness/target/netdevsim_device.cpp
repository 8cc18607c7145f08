// Translates the control channel's language into files of debugfs.
#include "harness/target/netdevsim_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

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

// Names of JSON fields and of the driver's.
constexpr std::pair<const char*, const char*> kRuleFields[] = {
    {"bytes", "bytes"}, {"to", "to"}, {"frames", "frames"}, {"milliseconds", "milliseconds"}};
constexpr std::pair<const char*, const char*> kMatchFields[] = {{"queue", "queue"},
                                                                {"family", "family"},
                                                                {"skip", "skip"},
                                                                {"source_port", "sport"},
                                                                {"destination_port", "dport"},
                                                                {"every", "every"},
                                                                {"count", "count"},
                                                                {"seed", "seed"}};

}  // namespace

Result<NetdevsimRule> netdevsim_rule(const std::string& text, uint32_t id) {
    const json rule = json::parse(text, nullptr, false);
    if (!rule.is_object() || !rule.contains("what") || !rule["what"].is_string())
        return Error{EINVAL, "this is no fault rule: " + text};
    const std::string what = rule["what"];
    for (const char* kind : {"lose_interrupt", "link_flap", "reset"})
        if (what == kind) return cannot(what);
    NetdevsimRule translated;
    translated.line = fmt::format("add id={} what={}", id, what);
    const auto add = [&](const json& object, const auto& fields) {
        for (const auto& [name, driver_name] : fields)
            if (object.contains(name) && object[name].is_number_unsigned())
                translated.line +=
                    fmt::format(" {}={}", driver_name, object[name].template get<uint64_t>());
    };
    add(rule, kRuleFields);
    if (what == "corrupt" && !rule.contains("bytes")) translated.line += " bytes=0";
    translated.port = rule.value("port", 0U) == 0 ? 0 : 1;
    const json match = rule.value("match", json::object());
    add(match, kMatchFields);
    if (match.contains("payload"))
        translated.line += match["payload"] == json(true) ? " payload=1" : " payload=0";
    if (match.contains("protocol")) {
        const json& protocol = match["protocol"];
        const int number = protocol == "tcp" ? IPPROTO_TCP : protocol == "udp" ? IPPROTO_UDP : 1;
        translated.line += fmt::format(" protocol={}", number);
    }
    if (match.contains("probability")) {
        const double probability = match["probability"].get<double>();
        translated.line += fmt::format(" probability={}", std::lround(probability * 1e6));
    }
    return translated;
}

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

Result<uint32_t> NetdevsimDevice::inject(const std::string& rule) {
    if (!faults_) return Error{ENOTSUP, "this NIC takes no fault rules"};
    // Others may have left rules behind.
    if (const auto listed = list_faults())
        for (const json& known : json::parse(*listed)["rules"])
            last_rule_ = std::max(last_rule_, known.value("id", 0U));
    auto translated = netdevsim_rule(rule, last_rule_ + 1);
    if (!translated) return translated.error();
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

// Lines "id=3 what=drop seen=10 hits=2".
Result<std::string> NetdevsimDevice::list_faults() {
    json rules = json::array();
    for (const std::string& port : ports_) {
        std::ifstream file(port + "/faults");
        for (std::string line; std::getline(file, line);) {
            unsigned id = 0;
            unsigned long long seen = 0, hits = 0;
            if (std::sscanf(line.c_str(), "id=%u what=%*s seen=%llu hits=%llu", &id, &seen,
                            &hits) == 3)
                rules.push_back({{"id", id}, {"seen", seen}, {"hits", hits}});
        }
    }
    return answer({{"rules", rules}});
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
    const json command = json::parse(text, nullptr, false);
    const std::string what = command.is_object() ? command.value("do", "") : "";
    if (what == "ping") return answer(json::object());
    if (what == "faults") return list_faults();
    if (what == "counters") return read_counters();
    if (what == "fault") {
        auto id = inject(command.value("rule", json::object()).dump());
        if (!id) return id.error();
        return answer({{"id", *id}});
    }
    if (what == "clear" && !command.contains("id")) {
        if (auto cleared = clear_faults(); !cleared) return cleared.error();
        return answer(json::object());
    }
    return cannot(what);
}

}  // namespace zcrxlab
