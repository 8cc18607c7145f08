// Reads /proc/vmstat, /proc/self/status, /proc/net/netstat and /proc/slabinfo.
#include "harness/net/counters.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/net/namespace.hpp"

namespace zcrxlab {
namespace {

// Calls `visit` with each line.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

std::map<std::string, int64_t> parse_name_values(std::string_view text) {
    std::map<std::string, int64_t> values;
    for_each_line(text, [&values](std::string_view line) {
        const size_t space = line.find(' ');
        if (space == std::string_view::npos) return;
        if (const auto value = number_from<int64_t>(line.substr(space + 1)))
            values[std::string(line.substr(0, space))] = *value;
    });
    return values;
}

std::optional<int64_t> parse_status_kb(std::string_view text, std::string_view name) {
    std::optional<int64_t> found;
    for_each_line(text, [&](std::string_view line) {
        if (!line.starts_with(name) || line.size() == name.size() || line[name.size()] != ':')
            return;
        line.remove_prefix(name.size() + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.ends_with(" kB")) return;
        line.remove_suffix(3);
        found = number_from<int64_t>(line);
    });
    return found;
}

std::map<std::string, int64_t> slab_objects_in(std::string_view slabinfo) {
    std::map<std::string, int64_t> objects;
    for_each_line(slabinfo, [&objects](std::string_view line) {
        if (line.starts_with('#')) return;
        // "name active_objs num_objs objsize ..."; the line of the version has a word there.
        std::istringstream words{std::string(line)};
        std::string name;
        int64_t active = 0;
        if (words >> name >> active) objects[name] = active;
    });
    return objects;
}

std::vector<GrowingCache> growing_caches(std::span<const std::map<std::string, int64_t>> counts,
                                         int64_t least) {
    std::vector<GrowingCache> growing;
    if (counts.size() < 2) return growing;
    for (const auto& [name, last] : counts.back()) {
        GrowingCache cache{name, {}};
        for (const auto& count : counts) {
            const auto found = count.find(name);
            cache.objects.push_back(found == count.end() ? 0 : found->second);
        }
        const auto too_little = [least](int64_t one, int64_t next) { return next - one < least; };
        if (std::ranges::adjacent_find(cache.objects, too_little) == cache.objects.end())
            growing.push_back(std::move(cache));
    }
    std::ranges::stable_sort(growing, std::greater{}, &GrowingCache::more);
    return growing;
}

Result<uint64_t> tcp_counter_in(std::string_view netstat, std::string_view name) {
    // Each table is a line of names and one of values.
    std::istringstream lines{std::string(netstat)};
    for (std::string names, values; std::getline(lines, names) && std::getline(lines, values);) {
        std::istringstream left(names), right(values);
        for (std::string word, value; left >> word && right >> value;)
            if (word == name)
                if (const auto number = number_from<uint64_t>(value)) return *number;
    }
    return Error{ENODATA, "/proc/net/netstat has no " + std::string(name)};
}

Result<uint64_t> tcp_counter(const std::string& name, const std::string& space) {
    return in_namespace_get<uint64_t>(space, [&name]() -> Result<uint64_t> {
        // Of this thread: the others may be in another namespace.
        std::ifstream file("/proc/thread-self/net/netstat");
        std::ostringstream text;
        text << file.rdbuf();
        return tcp_counter_in(text.str(), name);
    });
}

Result<MemoryCounters> read_memory_counters() {
    // The pin counters are kept per CPU; any write gathers them. It fails without root, and then
    // the numbers may be late, which the caller is told by EACCES.
    std::ofstream refresh("/proc/sys/vm/stat_refresh");
    refresh << "1" << std::flush;
    if (!refresh) return Error{EACCES, "cannot write /proc/sys/vm/stat_refresh; run as root"};
    auto vmstat = read_file("/proc/vmstat");
    if (!vmstat) return vmstat.error();
    auto status = read_file("/proc/self/status");
    if (!status) return status.error();
    return memory_counters_in(*vmstat, *status);
}

Result<MemoryCounters> memory_counters_in(std::string_view vmstat, std::string_view status) {
    const auto values = parse_name_values(vmstat);
    const auto acquired = values.find("nr_foll_pin_acquired");
    const auto released = values.find("nr_foll_pin_released");
    const auto pinned = parse_status_kb(status, "VmPin"), locked = parse_status_kb(status, "VmLck");
    if (acquired == values.end() || released == values.end())
        return Error{ENODATA, "/proc/vmstat does not count pinned pages"};
    if (!pinned || !locked) return Error{ENODATA, "/proc/self/status lacks VmPin or VmLck"};
    return MemoryCounters{acquired->second - released->second, *pinned, *locked};
}

}  // namespace zcrxlab
