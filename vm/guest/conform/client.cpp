// Starts a shell, and waits for it.
#include "vm/guest/conform/client.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/slowness.hpp"
#include "vm/guest/become_user.hpp"
#include "vm/guest/conform/program_processes.hpp"

namespace zcrxlab {

namespace {

constexpr std::chrono::milliseconds kLookAtClientEvery{20};

}  // namespace

Result<Client> Client::start(const ClientOrder& order) {
    const pid_t pid = ::fork();
    if (pid < 0) return error_from_errno("fork for the client");
    if (pid == 0) {
        if (!order.user || become_user(*order.user))
            ::execl("/bin/sh", "sh", "-c", order.command.c_str(), nullptr);
        ::_exit(kExitNotExecutable);
    }
    return Client(pid, Clock::now() + scaled(order.patience));
}

Client::Client(Client&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), until_(other.until_), status_(other.status_) {}

Client::~Client() {
    if (pid_ > 0) (void)wait();
}

bool Client::runs() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return !status_ && Clock::now() < until_;
}

ClientRun Client::wait() {
    while (runs()) std::this_thread::sleep_for(kLookAtClientEvery);
    ClientRun run{.overdue = !status_};
    if (!status_) ::kill(pid_, SIGKILL);
    int status = status_.value_or(0);
    while (!status_ && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    status_ = status;
    if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
    run.exit = run.signal ? 128 + *run.signal : WEXITSTATUS(status);
    pid_ = -1;
    // What it has left would meet the next one.
    end_beside_us();
    return run;
}

}  // namespace zcrxlab
