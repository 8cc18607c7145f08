// Reads /proc.
#include "vm/guest/conform/program_processes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/base/slowness.hpp"

namespace zcrxlab {

using std::chrono::milliseconds;

namespace {

// Of a program that is slowed down, in turns.
constexpr milliseconds kStandsStill{90}, kRuns{10};
constexpr milliseconds kKillPatience{2000}, kKillEvery{10};
constexpr milliseconds kStatePatience{2000}, kAskForStateEvery{5};
constexpr std::string_view kAsleep = "SD", kStopped = "Tt";
// It may accept, arm a request, and wait for the first time without one to submit.
constexpr int kHaltsWhereItWaits = 3;

constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD, include/linux/sched.h
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

// Whose sockets a process has; nothing of one that is gone.
std::optional<std::pair<dev_t, ino_t>> network_of(const std::string& process) {
    struct stat link {};
    if (::stat(("/proc/" + process + "/ns/net").c_str(), &link) != 0) return std::nullopt;
    return std::pair(link.st_dev, link.st_ino);
}

// All but us, init and kernel threads, in our network namespace or outside of it.
std::vector<pid_t> processes(bool beside_us) {
    std::vector<pid_t> found;
    const auto ours = network_of("self");
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        const auto pid = number_from<pid_t>(name);
        if (!pid || *pid == kInitOfGuest || *pid == ::getpid()) continue;
        const auto time = time_of(*pid);
        if (!time || (time->flags & kKernelThread) != 0) continue;
        if (const auto theirs = network_of(name); theirs && (theirs == ours) == beside_us)
            found.push_back(*pid);
    }
    return found;
}

// Whether each of its threads is in one of these states (proc_pid_stat(5)); not so of one that is
// gone.
bool is_in(pid_t pid, std::string_view states) {
    std::error_code error;
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    for (auto thread = std::filesystem::directory_iterator(folder, error);
         !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
        const auto stat = read_file(thread->path() / "stat");
        const size_t closed = stat ? stat->rfind(") ") : std::string::npos;
        if (closed == std::string::npos) return false;
        if (states.find(stat->c_str()[closed + 2]) == std::string_view::npos) return false;
    }
    return !error;
}

// Returns after a while even if it does not come so far.
void wait_until_program_is(std::string_view states) {
    const auto give_up = std::chrono::steady_clock::now() + scaled(kStatePatience);
    while (!std::ranges::all_of(program_processes(), [states](pid_t pid) {
        return is_in(pid, states);
    }) && std::chrono::steady_clock::now() < give_up)
        std::this_thread::sleep_for(kAskForStateEvery);
}

milliseconds time_of_program() {
    uint64_t ticks = 0;
    for (const pid_t pid : program_processes())
        if (const auto time = time_of(pid)) ticks += time->ticks;
    return milliseconds(ticks * 1000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::vector<pid_t> program_processes() {
    return processes(false);
}

void signal_beside_us(int number) {
    for (const pid_t pid : processes(true)) ::kill(pid, number);
}

void end_beside_us() {
    const auto give_up = std::chrono::steady_clock::now() + scaled(kKillPatience);
    // Who was just starting another one has done so by now.
    while (!processes(true).empty() && std::chrono::steady_clock::now() < give_up) {
        signal_beside_us(SIGKILL);
        std::this_thread::sleep_for(kKillEvery);
    }
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

void slow_program_down(const std::function<bool()>& done) {
    while (!done()) {
        signal_program(SIGSTOP);
        std::this_thread::sleep_for(kStandsStill);
        signal_program(SIGCONT);
        std::this_thread::sleep_for(kRuns);
    }
}

void halt_program_where_it_waits() {
    for (int halt = 1; halt <= kHaltsWhereItWaits; ++halt) {
        signal_program(SIGCONT);
        wait_until_program_is(kAsleep);
        signal_program(SIGSTOP);
        wait_until_program_is(kStopped);
    }
}

ProgramTime watch_program(milliseconds duration) {
    const auto from = std::chrono::steady_clock::now();
    const milliseconds before = time_of_program();
    std::this_thread::sleep_for(duration);
    const milliseconds busy = time_of_program() - before;
    const auto watched =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - from);
    return {.watched = static_cast<uint64_t>(watched.count()),
            .busy = static_cast<uint64_t>(std::max<int64_t>(busy.count(), 0))};
}

}  // namespace zcrxlab
