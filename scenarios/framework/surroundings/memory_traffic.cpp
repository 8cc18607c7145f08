// /sys/bus/event_source/devices (Documentation/ABI/testing/sysfs-bus-event_source-devices-*).
#include "scenarios/framework/surroundings/memory_traffic.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// Names under which Intel's servers and desktops count reads and writes.
constexpr const char* kEvents[] = {"cas_count_read", "cas_count_write", "data_reads",
                                   "data_writes"};

std::string line_of(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

bool take_number(std::string_view text, uint64_t& value) {
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size();
}

// "config:8-15" moves a field to its place.
bool place_of(const std::string& format, unsigned& shift) {
    constexpr std::string_view kPrefix = "config:";
    if (!format.starts_with(kPrefix)) return false;
    const std::string range = format.substr(kPrefix.size());
    uint64_t first = 0;
    if (!take_number(std::string_view(range).substr(0, range.find('-')), first) || first > 63)
        return false;
    shift = static_cast<unsigned>(first);
    return true;
}

// "event=0x04,umask=0x03" with the formats of its unit.
bool config_of(const fs::path& unit, const std::string& terms, uint64_t& config) {
    std::istringstream list(terms);
    for (std::string term; std::getline(list, term, ',');) {
        const size_t equals = term.find('=');
        uint64_t value = 1;
        unsigned shift = 0;
        if (equals != std::string::npos &&
            !take_number(std::string_view(term).substr(equals + 1), value))
            return false;
        if (!place_of(line_of(unit / "format" / term.substr(0, equals)), shift)) return false;
        config |= value << shift;
    }
    return true;
}

// "6.103515625e-5" of "MiB" is 64 bytes.
double bytes_of(const fs::path& events, const std::string& event) {
    const std::string scale = line_of(events / (event + ".scale"));
    if (scale.empty() || line_of(events / (event + ".unit")) != "MiB") return 64;
    return std::strtod(scale.c_str(), nullptr) * (1 << 20);
}

}  // namespace

std::vector<TrafficCounter> traffic_counters(const fs::path& root) {
    std::vector<TrafficCounter> counters;
    std::error_code error;
    const fs::path devices = root / "sys/bus/event_source/devices";
    for (const auto& unit : fs::directory_iterator(devices, error)) {
        const std::string name = unit.path().filename();
        if (!name.starts_with("uncore_imc")) continue;
        for (const char* event : kEvents) {
            TrafficCounter counter;
            uint64_t type = 0, cpu = 0;
            const std::string terms = line_of(unit.path() / "events" / event);
            const std::string cpus = line_of(unit.path() / "cpumask");
            if (terms.empty() || !take_number(line_of(unit.path() / "type"), type) ||
                !take_number(std::string_view(cpus).substr(0, cpus.find_first_of(",-")), cpu) ||
                !config_of(unit.path(), terms, counter.config))
                continue;
            counter.name = name + "/" + event;
            counter.type = static_cast<uint32_t>(type);
            counter.cpu = static_cast<uint32_t>(cpu);
            counter.bytes = bytes_of(unit.path() / "events", event);
            counters.push_back(std::move(counter));
        }
    }
    return counters;
}

Result<MemoryTraffic> MemoryTraffic::start() {
    MemoryTraffic traffic;
    for (const TrafficCounter& counter : traffic_counters("/")) {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = counter.type;
        attributes.config = counter.config;
        Fd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, -1,
                                         static_cast<int>(counter.cpu), -1, PERF_FLAG_FD_CLOEXEC)));
        if (!fd) return error_from_errno("count " + counter.name);
        traffic.open_.push_back({std::move(fd), counter.bytes});
    }
    if (traffic.open_.empty())
        return Error{ENOTSUP, "This machine does not count the traffic of its memory."};
    return traffic;
}

uint64_t MemoryTraffic::bytes() const {
    double sum = 0;
    for (const Open& counter : open_) {
        uint64_t count = 0;
        if (::read(counter.fd.get(), &count, sizeof count) == sizeof count)
            sum += static_cast<double>(count) * counter.bytes;
    }
    return static_cast<uint64_t>(sum);
}

}  // namespace zcrxlab
