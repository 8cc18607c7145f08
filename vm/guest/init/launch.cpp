// Starts and collects processes of the guest.
#include "vm/guest/init/launch.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/base/pipe.hpp"
#include "vm/guest/become_user.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of include/linux/sched.h

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

// The device behind /dev/console: only it can be a controlling terminal.
std::string console_device() {
    Result<std::string> active = read_file("/sys/class/tty/console/active");
    if (!active || active->empty()) return "/dev/console";
    std::string name = active->substr(0, active->find('\n'));
    return "/dev/" + name.substr(name.rfind(' ') + 1);
}

// What a kernel before 6.15 answers to IORING_REGISTER_ZCRX_IFQ: it knows no such number
// (io_uring/register.c). False with errno.
bool refuse_registration() {
    constexpr uint32_t kRegisterZcrxIfq = 32;  // include/uapi/linux/io_uring.h
    constexpr uint32_t kByIndex = 1U << 31;    // IORING_REGISTER_USE_REGISTERED_RING
    constexpr uint32_t kNumber = offsetof(seccomp_data, nr);
    constexpr uint32_t kOperation = offsetof(seccomp_data, args[1]);  // its lower half
    std::array<sock_filter, 7> filter{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_register, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOperation),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~kByIndex),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRegisterZcrxIfq, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{filter.size(), filter.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Which step of a start failed, and why.
struct Failure {
    int code;
    std::array<char, 24> step;
};

[[noreturn]] void become(const Launch& launch, int failure) {
    const auto fail = [&](const char* step) {
        Failure told{errno, {}};
        std::strncpy(told.step.data(), step, told.step.size() - 1);
        [[maybe_unused]] const ssize_t put = ::write(failure, &told, sizeof(told));
        ::_exit(kExitNotFound);
    };
    ::setsid();
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    Fd console;
    int terminal = launch.terminal;
    if (launch.console) {
        console.reset(::open(console_device().c_str(), O_RDWR | O_CLOEXEC));
        terminal = console.get();
    }
    if (terminal >= 0) {
        ::ioctl(terminal, TIOCSCTTY, 0);
        for (int stream : {0, 1, 2}) ::dup2(terminal, stream);
    }
    if (launch.input >= 0) ::dup2(launch.input, STDIN_FILENO);
    if (launch.output >= 0) ::dup2(launch.output, STDOUT_FILENO);
    if (launch.error >= 0) ::dup2(launch.error, STDERR_FILENO);
    if (!launch.netns.empty()) {
        const Fd netns(::open(launch.netns.c_str(), O_RDONLY | O_CLOEXEC));
        if (!netns || ::setns(netns.get(), CLONE_NEWNET) != 0) fail("enter the namespace of");
    }
    // Root needs no promise to gain no rights by it.
    if (launch.old_kernel && !refuse_registration()) fail("refuse queues to");
    if (launch.user && !become_user(*launch.user)) fail("become the user of");
    if (!launch.folder.empty() && ::chdir(launch.folder.c_str()) != 0) fail("enter the folder of");
    const std::vector<char*> arguments = pointers(launch.arguments);
    std::vector<char*> environment = pointers(launch.environment);
    // execvp() looks through PATH of the process, which is to be that of the program.
    environ = environment.data();
    ::execvp(arguments[0], arguments.data());
    fail("start");
    ::_exit(kExitNotFound);
}

}  // namespace

Result<pid_t> start_program(const Launch& launch) {
    Result<Pipe> failure = Pipe::create();
    if (!failure) return failure.error();
    const pid_t pid = ::fork();
    if (pid < 0) return error_from_errno("fork");
    if (pid == 0) become(launch, failure->writing.get());
    failure->writing.reset();
    Failure told{};
    ssize_t got = 0;
    while ((got = ::read(failure->reading.get(), &told, sizeof(told))) < 0 && errno == EINTR) {
    }
    if (got != sizeof(told)) return pid;
    ::waitpid(pid, nullptr, 0);
    return error_from_errno(std::string(told.step.data()) + " " + launch.arguments.front(),
                            told.code);
}

int Ended::code() const {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::optional<Ended> reap() {
    Ended ended;
    ended.pid = ::waitpid(-1, &ended.status, WNOHANG);
    if (ended.pid <= 0) return std::nullopt;
    return ended;
}

Result<Terminal> open_terminal(const std::optional<GuestUser>& owner) {
    Terminal terminal;
    terminal.ours.reset(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    int unlocked = 0;
    if (!terminal.ours || ::ioctl(terminal.ours.get(), TIOCSPTLCK, &unlocked) != 0)
        return error_from_errno("open a terminal");
    terminal.program.reset(
        ::ioctl(terminal.ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal.program) return error_from_errno("open the program's end of a terminal");
    if (owner) ::fchown(terminal.program.get(), owner->user, static_cast<gid_t>(-1));
    ::fchmod(terminal.program.get(), 0620);
    return terminal;
}

void set_window(const Fd& terminal, const std::string& size) {
    winsize window{};
    if (terminal && std::sscanf(size.c_str(), "%hu %hu", &window.ws_row, &window.ws_col) == 2)
        ::ioctl(terminal.get(), TIOCSWINSZ, &window);
}

// "PID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ..." (fs/proc/array.c:do_task_stat); a name
// may hold anything.
std::optional<std::string> user_process_in(std::string_view stat) {
    const size_t open = stat.find('(');
    const size_t closed = stat.rfind(')');
    if (open == std::string_view::npos || closed == std::string_view::npos || closed < open)
        return std::nullopt;
    std::istringstream fields{std::string(stat.substr(closed + 1))};
    char state = 0;
    int64_t skipped = 0;
    uint64_t flags = 0;
    fields >> state;
    for (int field = 0; field < 5; ++field) fields >> skipped;
    if (!(fields >> flags) || state == 'Z' || state == 'X' || (flags & kKernelThread) != 0)
        return std::nullopt;
    return std::string(stat.substr(open + 1, closed - open - 1));
}

std::vector<std::string> user_processes() {
    std::vector<std::string> list;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (number_from<int>(name).value_or(1) == 1) continue;
        const auto stat = read_file(entry.path() / "stat");
        if (!stat) continue;
        if (const auto called = user_process_in(*stat)) list.push_back(*called + " (" + name + ")");
    }
    return list;
}

}  // namespace zcrxlab
