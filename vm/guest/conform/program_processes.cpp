// Reads /proc.
#include "vm/guest/conform/program_processes.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD, include/linux/sched.h
constexpr pid_t kInit = 1;
constexpr std::string_view kMemoryLine = "RssAnon:";

struct ProcessTime {
    uint64_t flags = 0;
    uint64_t ticks = 0;  // in user mode and in the kernel
};

// From /proc/PID/stat (proc_pid_stat(5)): the name in brackets can be anything.
std::optional<ProcessTime> time_of(pid_t pid) {
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!stat) return std::nullopt;
    const size_t closed = stat->rfind(')');
    if (closed == std::string::npos) return std::nullopt;
    std::istringstream fields(stat->substr(closed + 1));
    std::string skipped;
    ProcessTime time;
    for (int field = 3; field < 9; ++field) fields >> skipped;  // state to tpgid
    fields >> time.flags;
    for (int field = 10; field < 14; ++field) fields >> skipped;  // faults
    uint64_t user = 0, system = 0;
    if (!(fields >> user >> system)) return std::nullopt;
    time.ticks = user + system;
    return time;
}

}  // namespace

std::vector<pid_t> program_processes() {
    std::vector<pid_t> processes;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const auto pid = number_from<pid_t>(entry.path().filename().string());
        if (!pid || *pid == kInit || *pid == ::getpid()) continue;
        const auto time = time_of(*pid);
        if (time && (time->flags & kKernelThread) == 0) processes.push_back(*pid);
    }
    return processes;
}

void signal_program(int number) {
    for (const pid_t pid : program_processes()) ::kill(pid, number);
}

ProgramUse use_of_program() {
    ProgramUse use;
    for (const pid_t pid : program_processes()) {
        const std::string folder = "/proc/" + std::to_string(pid);
        std::error_code error;
        for (auto file = std::filesystem::directory_iterator(folder + "/fd", error);
             !error && file != std::filesystem::directory_iterator(); file.increment(error))
            ++use.files;
        // "RssAnon:\t    1234 kB" (proc_pid_status(5)).
        const auto status = read_file(folder + "/status");
        const size_t at = status ? status->find(kMemoryLine) : std::string::npos;
        if (at == std::string::npos) continue;
        uint64_t kibibytes = 0;
        std::istringstream(status->substr(at + kMemoryLine.size())) >> kibibytes;
        use.memory += kibibytes * 1024;
    }
    return use;
}

std::chrono::milliseconds time_of_program() {
    uint64_t ticks = 0;
    for (const pid_t pid : program_processes())
        if (const auto time = time_of(pid)) ticks += time->ticks;
    return std::chrono::milliseconds(ticks * 1000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace zcrxlab
