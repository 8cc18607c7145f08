// Starts, watches and ends child processes by pidfd.
#include "harness/base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/pipe.hpp"

namespace zcrxlab {

namespace {

[[noreturn]] void become(const ChildOptions& options, pid_t parent, int failure) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kExitNotFound);  // the parent died before the line above
    if (options.own_group) ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const std::array<std::pair<int, int>, 3> streams{
        {{options.input, 0}, {options.output, 1}, {options.error, 2}}};
    for (const auto& [from, to] : streams) {
        const int source = from < 0 ? null : from;
        // dup2 of a descriptor to itself would leave close-on-exec as it is.
        if (source == to) {
            ::fcntl(to, F_SETFD, 0);
        } else {
            ::dup2(source, to);
        }
    }
    if (options.extra == options.extra_as) {
        ::fcntl(options.extra, F_SETFD, 0);
    } else if (options.extra >= 0) {
        // The place may be taken by the failure pipe.
        if (failure == options.extra_as) failure = ::fcntl(failure, F_DUPFD_CLOEXEC, 10);
        ::dup2(options.extra, options.extra_as);
    }
    std::vector<char*> arguments;
    for (const std::string& argument : options.arguments)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    if (::write(failure, &error, sizeof(error)) < 0) ::_exit(kExitNotExecutable);
    ::_exit(kExitNotFound);
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildOptions& options) {
    Result<Pipe> failure = Pipe::create();
    if (!failure) return failure.error();
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return error_from_errno("fork");
    if (pid == 0) become(options, parent, failure->writing.get());
    failure->writing.reset();
    int error = 0;
    const bool failed = ::read(failure->reading.get(), &error, sizeof(error)) == sizeof(error);
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    const int pidfd_error = errno;
    if (failed || !pidfd) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return error_from_errno("start " + options.arguments.front(), failed ? error : pidfd_error);
    }
    return ChildProcess(pid, std::move(pidfd), options.own_group);
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        kill_and_collect();
        pid_ = other.pid_;
        pidfd_ = std::move(other.pidfd_);
        own_group_ = other.own_group_;
        status_ = other.status_;
        cpu_seconds_ = other.cpu_seconds_;
    }
    return *this;
}

ChildProcess::~ChildProcess() {
    kill_and_collect();
}

std::optional<int> ChildProcess::status() {
    int status = 0;
    rusage used{};
    if (!status_ && pidfd_ && ::wait4(pid_, &status, WNOHANG, &used) == pid_) {
        status_ = status;
        cpu_seconds_ = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    }
    return status_;
}

void ChildProcess::signal(int number) {
    // Once collected, the process id may belong to somebody else.
    if (!pidfd_ || status()) return;
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

bool ChildProcess::wait(std::chrono::milliseconds bound) {
    if (!pidfd_ || status()) return true;
    pollfd ended{pidfd_.get(), POLLIN, 0};
    const auto until = std::chrono::steady_clock::now() + bound;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        if (left.count() < 0) return false;
        if (::poll(&ended, 1, static_cast<int>(left.count()) + 1) > 0) return status().has_value();
    }
}

void ChildProcess::kill_and_collect() {
    if (!pidfd_) return;
    if (!status()) {
        // The group first: while its leader is not collected, nobody else can have its number.
        if (own_group_) ::kill(-pid_, SIGKILL);
        ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        status_ = status;
    }
    pidfd_.reset();
}

std::string describe_status(int status) {
    if (WIFSIGNALED(status))
        return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
               ::strsignal(WTERMSIG(status)) + ")";
    return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace zcrxlab
