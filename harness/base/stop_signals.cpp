// Reads signals from a signalfd.
#include "harness/base/stop_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace zcrxlab {

namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

}  // namespace

StopSignals::StopSignals() {
    ::sigemptyset(&set_);
    for (int number : kStopSignals) ::sigaddset(&set_, number);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
    fd_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
    const bool inside_another = ::sigismember(&before_, SIGINT) == 1;
    const timespec none{};
    while ((taken_ || !inside_another) && ::sigtimedwait(&set_, nullptr, &none) > 0) {
    }
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::take() const {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
    taken_ = true;
    return static_cast<int>(info.ssi_signo);
}

bool stop_signal_waits() {
    sigset_t waiting;
    return ::sigpending(&waiting) == 0 && std::ranges::any_of(kStopSignals, [&](int number) {
               return ::sigismember(&waiting, number) == 1;
           });
}

}  // namespace zcrxlab
