// Forwards input in a thread of its own.
#include "vm/guest/guest_input.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace zcrxlab {

using std::chrono::steady_clock;

namespace {

// So much may be on its way to a program that does not read; signals stand behind it.
constexpr uint64_t kInputWindow = 256 << 10;
constexpr char kInterruptCharacter = 3;  // Ctrl-C
constexpr int kInterruptsToGiveUp = 3;
constexpr std::chrono::seconds kInterruptsWithin{1};

}  // namespace

Result<std::unique_ptr<GuestInput>> GuestInput::create(bool terminal) {
    Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake) return error_from_errno("eventfd");
    return std::unique_ptr<GuestInput>(new GuestInput(std::move(wake), terminal));
}

GuestInput::~GuestInput() {
    stop();
}

void GuestInput::send(RecordType type, std::string_view bytes) {
    const std::vector<std::byte> record = encode_record(type, bytes);
    {
        const std::lock_guard lock(mutex_);
        queue_.append(reinterpret_cast<const char*>(record.data()), record.size());
    }
    wake();
}

void GuestInput::start(Fd guest) {
    guest_ = std::move(guest);
    if (terminal_) {
        sigset_t set;
        ::sigemptyset(&set);
        ::sigaddset(&set, SIGWINCH);
        ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
        resized_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
        send_window();
    }
    thread_ = std::thread([this] { run(); });
}

void GuestInput::program_started() {
    if (!terminal_ || before_) return;
    termios mode{};
    if (::tcgetattr(STDIN_FILENO, &mode) != 0) return;
    before_ = mode;
    ::cfmakeraw(&mode);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

void GuestInput::time_up_at(steady_clock::time_point when) {
    {
        const std::lock_guard lock(mutex_);
        time_up_ = when;
    }
    wake();
}

void GuestInput::taken(uint64_t bytes) {
    taken_ += bytes;
    wake();
}

void GuestInput::stop() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
    if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
    before_.reset();
}

void GuestInput::run() {
    while (!stopping_) {
        bool queued = false;
        std::optional<steady_clock::time_point> time_up;
        {
            const std::lock_guard lock(mutex_);
            queued = !queue_.empty();
            time_up = time_up_;
        }
        const bool reading = !input_ended_ && sent_ < taken_ + kInputWindow;
        std::array<pollfd, 4> waiting{{{wake_.get(), POLLIN, 0},
                                       {reading ? STDIN_FILENO : -1, POLLIN, 0},
                                       {queued ? guest_.get() : -1, POLLOUT, 0},
                                       {resized_.get(), POLLIN, 0}}};
        int left = -1;
        if (time_up)
            left = static_cast<int>(std::clamp<int64_t>(
                std::chrono::ceil<std::chrono::milliseconds>(*time_up - steady_clock::now())
                    .count(),
                0, 60'000));
        ::poll(waiting.data(), waiting.size(), left);
        if (time_is_up()) send(RecordType::kTimeUp, {});
        uint64_t ignored = 0;
        while (::read(wake_.get(), &ignored, sizeof(ignored)) > 0) {
        }
        if (waiting[1].revents != 0) read_input();
        if (waiting[3].revents != 0) {
            signalfd_siginfo info{};
            while (::read(resized_.get(), &info, sizeof(info)) > 0) {
            }
            send_window();
        }
        write_queued();
    }
}

// Once, when it is.
bool GuestInput::time_is_up() {
    const std::lock_guard lock(mutex_);
    if (!time_up_ || steady_clock::now() < *time_up_) return false;
    time_up_.reset();
    return true;
}

void GuestInput::read_input() {
    std::array<char, 16384> chunk{};
    const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        input_ended_ = true;
        send(RecordType::kInput, {});
        return;
    }
    const std::string_view bytes(chunk.data(), static_cast<size_t>(got));
    if (terminal_) watch_interrupts(bytes);
    sent_ += bytes.size();
    send(RecordType::kInput, bytes);
}

void GuestInput::watch_interrupts(std::string_view typed) {
    for (const char key : typed) {
        const auto now = steady_clock::now();
        if (key != kInterruptCharacter || now > last_interrupt_ + kInterruptsWithin)
            interrupts_ = 0;
        if (key != kInterruptCharacter) continue;
        last_interrupt_ = now;
        if (++interrupts_ < kInterruptsToGiveUp) continue;
        given_up_ = true;
        ::kill(::getpid(), SIGINT);
    }
}

void GuestInput::write_queued() {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty()) {
        const ssize_t put = ::send(guest_.get(), queue_.data(), queue_.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) return;
        // The guest is gone: nobody will take any of it.
        if (put <= 0) return queue_.clear();
        queue_.erase(0, static_cast<size_t>(put));
    }
}

void GuestInput::send_window() {
    winsize window{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &window) != 0) return;
    send(RecordType::kWindow, std::to_string(window.ws_row) + " " + std::to_string(window.ws_col));
}

void GuestInput::wake() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(wake_.get(), &one, sizeof(one));
}

bool at_a_terminal() {
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 &&
           ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

}  // namespace zcrxlab
