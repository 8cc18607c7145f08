// Reads /proc/PID/stat and /proc/PID/status.
#include "cli/bench/process_cost.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace zcrxlab {

std::optional<ProcessCost> ProcessCost::of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    std::ifstream stat_file(folder + "/stat");
    const std::string stat{std::istreambuf_iterator<char>(stat_file), {}};
    // The name in parentheses may hold anything; utime and stime are the 12th and 13th after.
    const size_t behind = stat.rfind(')');
    if (behind == std::string::npos) return std::nullopt;
    std::istringstream fields(stat.substr(behind + 1));
    std::string skipped;
    uint64_t user = 0;
    uint64_t system = 0;
    for (int field = 0; field < 11; ++field) fields >> skipped;
    fields >> user >> system;
    ProcessCost cost;
    cost.cpu_seconds =
        static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::ifstream status(folder + "/status");
    for (std::string line; std::getline(status, line);)
        if (const size_t colon = line.find(':'); colon != std::string::npos) {
            const std::string name = line.substr(0, colon);
            const uint64_t kib = std::strtoull(line.c_str() + colon + 1, nullptr, 10);
            if (name == "RssAnon" || name == "RssFile") cost.own_kib += kib;
            if (name == "RssShmem") cost.guest_kib = kib;
        }
    return cost;
}

}  // namespace zcrxlab
