// Data races: reads KCSAN's reports line by line.
#include "harness/oracle/data_races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "harness/nics/nic_table.hpp"
#include "harness/oracle/kernel_line.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kFirst = "BUG: KCSAN: ";
constexpr std::string_view kLast = "Reported by Kernel Concurrency Sanitizer on:";
constexpr std::string_view kUnknownOrigin = "race at unknown origin, with ";

// How the names of functions begin, without "__", of the sources in kernel-config/coverage.scope
// that are no driver's: the kernel tells names and no sources.
constexpr std::array<std::string_view, 19> kOfZeroCopy = {
    // io_uring/zcrx.c
    "io_zcrx", "zcrx_", "io_pp_", "io_register_zcrx", "io_unregister_zcrx", "io_terminate_zcrx",
    "io_put_zcrx", "import_zcrx", "io_import_area", "io_import_umem", "io_close_queue",
    "io_copy_page", "io_free_rbuf_ring", "io_alloc_fallback_niov",
    // net/core/netdev_rx_queue.c
    "netdev_rx_queue", "netif_rxq", "netif_mp_",
    // net/core/page_pool.c
    "page_pool_", "net_mp_"};

// What works on memory that its caller owns: so the caller counts in its place.
constexpr std::array<std::string_view, 12> kForCallers = {
    "xa_",    "xas_",   "idr_",    "ida_",  "list_",  "refcount_",
    "memcpy", "memset", "memmove", "kfree", "kvfree", "kmem_cache_free"};

// "read" and "4 bytes" of "read to 0xffff888104bd6a40 of 4 bytes by task 70 on cpu 1:".
std::optional<RacingAccess> access_in(std::string_view line) {
    if (line.starts_with(kUnknownOrigin)) line.remove_prefix(kUnknownOrigin.size());
    const size_t to = line.find(" to 0x");
    const size_t of = line.find(" of ", to);
    const size_t by = line.find(" by ", of);
    if (to == 0 || to == line.npos || of == line.npos || by == line.npos) return std::nullopt;
    if (line.find(" on cpu ", by) == line.npos || !line.ends_with(':')) return std::nullopt;
    return RacingAccess{fmt::format("{}{}", line.substr(0, to), line.substr(of, by - of)), {}};
}

// "f" of "f+0x1d/0x30", or of "f+0x1d/0x30 [module]".
std::string_view function_in(std::string_view line) {
    const size_t plus = line.find("+0x");
    const std::string_view name = line.substr(0, plus);
    const bool is_name = std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    });
    return plus != line.npos && is_name ? name : std::string_view();
}

// Whether the name begins with one of these, with or without "__".
template <size_t N>
bool begins_with(std::string_view function, const std::array<std::string_view, N>& names) {
    while (function.starts_with('_')) function.remove_prefix(1);
    return std::ranges::any_of(
        names, [function](std::string_view begin) { return function.starts_with(begin); });
}

// As many accesses as the title says, each with its functions, of which the title has the first.
bool has_all(const DataRace& race) {
    const size_t expected = race.title.find(" / ") != std::string::npos ? 2 : 1;
    return race.accesses.size() == expected &&
           std::ranges::all_of(race.accesses, [&race](const RacingAccess& access) {
               return !access.functions.empty() &&
                      race.title.find(access.functions.front()) != std::string::npos;
           });
}

}  // namespace

bool begins_race(std::string_view line) {
    return line.starts_with(kFirst);
}

bool ends_race(std::string_view line) {
    return line.starts_with(kLast);
}

bool end_inside_a_race(const std::vector<KernelMessage>& messages) {
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        const std::string_view line = without_stamp(message->text);
        if (begins_race(line)) return true;
        if (ends_race(line)) return false;
    }
    return false;
}

DataRace read_race(Events events, size_t first) {
    DataRace race;
    race.end = first;
    for (size_t i = first; i < events.size(); ++i) {
        const auto* message = std::get_if<KernelMessage>(&events[i].body);
        if (message == nullptr) continue;
        const std::string_view line = without_stamp(message->text);
        if (i == first) {
            race.title = line;
        } else if (begins_race(line)) {
            return race;  // one at a time is written
        } else if (ends_race(line)) {
            race.whole = has_all(race);
            race.end = i;
            return race;
        } else if (auto access = access_in(line)) {
            race.accesses.push_back(*std::move(access));
        } else if (const auto name = function_in(line); !name.empty() && !race.accesses.empty()) {
            race.accesses.back().functions.emplace_back(name);
        }
    }
    return race;
}

bool is_of_zero_copy(std::string_view function) {
    // Of a driver all, as any of them may touch a queue.
    return begins_with(function, kOfZeroCopy) ||
           std::ranges::any_of(nic_rows(), [function](const NicRow& row) {
               return !row.driver_functions.empty() &&
                      begins_with(function, std::array{row.driver_functions});
           });
}

bool concerns_zero_copy(const DataRace& race) {
    return std::ranges::any_of(race.accesses, [](const RacingAccess& access) {
        const auto owner = std::ranges::find_if_not(
            access.functions,
            [](const std::string& function) { return begins_with(function, kForCallers); });
        return owner != access.functions.end() && is_of_zero_copy(*owner);
    });
}

std::string subject_of(const DataRace& race) {
    if (!race.whole) return race.title;
    std::vector<std::string> sides;
    for (const RacingAccess& access : race.accesses)
        sides.push_back(access.functions.front() + " (" + access.what + ")");
    // Which of the two was noticed is chance.
    std::ranges::sort(sides);
    const size_t kind = race.title.find(" in ");
    return race.title.substr(0, kind) + " in " + sides.front() + " / " +
           (sides.size() > 1 ? sides.back() : "unknown");
}

std::vector<std::string> races_elsewhere(const std::vector<KernelMessage>& messages) {
    std::vector<Event> events;
    for (const KernelMessage& message : messages) events.push_back({0, message});
    std::vector<std::string> subjects;
    for (size_t i = 0; i < events.size(); ++i) {
        if (!begins_race(without_stamp(messages[i].text))) continue;
        const DataRace race = read_race(events, i);
        if (race.whole && !concerns_zero_copy(race)) subjects.push_back(subject_of(race));
    }
    return subjects;
}

}  // namespace zcrxlab
