// Reads signals from a signalfd.
#include "harness/base/stop_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>

namespace zcrxlab {

StopSignals::StopSignals() {
    ::sigemptyset(&set_);
    for (int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set_, number);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
    fd_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
    const timespec none{};
    while (::sigtimedwait(&set_, nullptr, &none) > 0) {
    }
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::take() const {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

}  // namespace zcrxlab
