// Moves bytes, collects children, and keeps to the bounds of time.
#include "vm/guest/init/session.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>

#include "harness/base/pipe.hpp"
#include "vm/guest/tcp_sockets.hpp"

namespace zcrxlab {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr pid_t kInit = 1;
// How often is looked whether somebody listens.
constexpr milliseconds kLookEvery{50};
// From SIGTERM to SIGKILL.
constexpr seconds kTermBound{5};
// A peer that has its answer may need a moment more than the program that gave it.
constexpr seconds kPeerBound{2};
constexpr seconds kPeerFirstBound{20};
constexpr milliseconds kSampleEvery{500};
// In a round, for a program to listen.
constexpr seconds kListenBound{60};
// The queue of a killed program is free in that time (docs/contract.md, teardown.kill).
constexpr seconds kQueueBound{5};
constexpr unsigned kMostSamples = 10'000;
constexpr int kCannotStart = 126;
constexpr int kNotFound = 127;
constexpr int kTimedOut = 124;

Fd signal_of_children() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    return Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void make_nonblocking(const Fd& fd) {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

Result<int> Session::run() {
    children_ = signal_of_children();
    if (plan_.peer.first) {
        start_peer();
        const auto until = Clock::now() + kPeerFirstBound;
        while (peer_.runs() && !listens(peer_.pid, {}) && Clock::now() < until)
            turn(static_cast<int>(kLookEvery.count()));
    }
    started_ = Clock::now();
    if (auto started = start(); !started) {
        port_.send(RecordType::kProgram, "{\"event\":\"refused\",\"error\":" +
                                             json_string(started.error().sentence) + "}");
        return started.error().code == ENOENT ? kNotFound : kCannotStart;
    }
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    port_.send(RecordType::kProgram,
               "{\"event\":\"started\",\"pid\":" + std::to_string(program_.pid) +
                   ",\"monotonic\":" + std::to_string(now.tv_sec * 1'000'000'000 + now.tv_nsec) +
                   "}");
    loop();
    return finish();
}

Result<Fd> Session::add_source(RecordStream stream) {
    Result<Pipe> pipe = Pipe::create(EmptyPipe::kSaysAgain);
    if (!pipe) return pipe.error();
    sources_.push_back({std::move(pipe->reading), stream});
    return std::move(pipe->writing);
}

Result<void> Session::start() {
    Launch launch;
    launch.arguments = plan_.arguments;
    launch.environment = environment_;
    launch.folder = plan_.folder;
    launch.user = plan_.user;
    launch.old_kernel = round_ != nullptr && round_->old_kernel;
    std::array<Fd, 3> theirs;
    if (plan_.streams == GuestStreams::kTerminal) {
        Result<Terminal> terminal = open_terminal(plan_.user);
        if (!terminal) return terminal.error();
        terminal_ = std::move(terminal->ours);
        make_nonblocking(terminal_);
        theirs[0] = std::move(terminal->program);
        launch.terminal = theirs[0].get();
        sources_.push_back(
            {Fd(::fcntl(terminal_.get(), F_DUPFD_CLOEXEC, 0)), RecordStream::kOutput});
        input_.reset(::fcntl(terminal_.get(), F_DUPFD_CLOEXEC, 0));
        hear();  // the size of the window
    } else {
        Result<Pipe> input = Pipe::create();
        if (!input) return input.error();
        theirs[0] = std::move(input->reading);
        if (plan_.rounds.empty()) {
            input_ = std::move(input->writing);
            make_nonblocking(input_);
        }
        Result<Fd> output = add_source(RecordStream::kOutput);
        if (!output) return output.error();
        Result<Fd> error = add_source(RecordStream::kError);
        if (!error) return error.error();
        theirs[1] = std::move(*output);
        theirs[2] = std::move(*error);
        launch.input = theirs[0].get();
        launch.output = theirs[1].get();
        launch.error = theirs[2].get();
    }
    const Result<pid_t> pid = start_program(launch);
    if (!pid) return pid.error();
    program_.pid = *pid;
    return {};
}

void Session::start_peer() {
    Launch launch;
    launch.arguments = plan_.peer.arguments;
    launch.environment = environment_;
    launch.folder = plan_.folder;
    if (plan_.rounds.empty()) launch.user = plan_.user;
    if (!plan_.pairs.empty()) launch.netns = plan_.pairs.front().peer_netns;
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const Result<Fd> output = add_source(RecordStream::kPeer);
    if (output) {
        launch.input = null.get();
        launch.output = launch.error = output->get();
        const Result<pid_t> pid = start_program(launch);
        if (pid) {
            peer_.pid = *pid;
            return;
        }
        peer_error_ = pid.error().sentence;
    } else {
        peer_error_ = output.error().sentence;
    }
    // What never ran is done at once, and the program need not wait for it.
    peer_.ended = Ended{-1, kNotFound << 8};
    peer_done_ = Clock::now();
}

void Session::loop() {
    while (!program_.ended) turn(static_cast<int>(kLookEvery.count()));
    drain();
    const auto until = Clock::now() + kPeerBound;
    while (peer_.runs() && !plan_.peer.first && Clock::now() < until)
        turn(static_cast<int>(kLookEvery.count()));
    if (peer_.runs()) {
        peer_killed_ = !plan_.peer.first;
        send_signal(peer_, SIGKILL);
        const auto dead = Clock::now() + kPeerBound;
        while (peer_.runs() && Clock::now() < dead) turn(static_cast<int>(kLookEvery.count()));
    }
    drain();
}

// Waits for something to happen, at most so long, and does what it asks for.
void Session::turn(int timeout_milliseconds) {
    std::vector<pollfd> waiting{{children_.get(), POLLIN, 0}, {port_.fd(), POLLIN, 0}};
    if (!waiting_input_.empty()) waiting.push_back({input_.get(), POLLOUT, 0});
    for (const Source& source : sources_) waiting.push_back({source.fd.get(), POLLIN, 0});
    // A port without a host is always ready.
    if (!port_) waiting[1].fd = -1;
    ::poll(waiting.data(), waiting.size(), timeout_milliseconds);
    collect();
    hear();
    take_input();
    drain();
    keep_time(Clock::now());
    sample(Clock::now());
}

void Session::collect() {
    signalfd_siginfo ignored{};
    while (::read(children_.get(), &ignored, sizeof(ignored)) > 0) {
    }
    while (const auto ended = reap()) {
        if (ended->pid == program_.pid) {
            if (is_to_be_restarted(*ended)) {
                program_ = {};
                killed_at_ = Clock::now();
            } else {
                program_.ended = *ended;
            }
        }
        if (ended->pid != peer_.pid) continue;
        peer_.ended = *ended;
        peer_done_ = Clock::now();
    }
}

bool Session::is_to_be_restarted(const Ended& ended) const {
    return round_ != nullptr && round_->restarts && !killed_at_ && !asked_ && !timed_out_ &&
           peer_.runs() && WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGKILL;
}

void Session::restart_in_time(Clock::time_point now) {
    if (!killed_at_ || restarted_) return;
    if (probe_ != nullptr && probe_->providers() != 0 && now < *killed_at_ + kQueueBound) return;
    restarted_ = true;
    if (auto started = start(); !started) program_.ended = Ended{-1, kCannotStart << 8};
}

void Session::hear() {
    for (;;) {
        const auto record = port_.receive();
        if (!record || !*record) return;
        const std::string& bytes = (*record)->json;
        switch ((*record)->type) {
            case RecordType::kInput:
                waiting_input_ += bytes;
                if (bytes.empty()) input_ended_ = true;
                break;
            case RecordType::kSignal:
                if (bytes.size() == 1) send_signal(program_, bytes[0]);
                break;
            case RecordType::kWindow:
                set_window(terminal_, bytes);
                break;
            case RecordType::kTimeUp:
                timed_out_ = !program_.ended;
                send_signal(program_, SIGKILL);
                break;
            default:
                break;
        }
    }
}

void Session::take_input() {
    size_t taken = 0;
    while (input_ && taken < waiting_input_.size()) {
        const ssize_t put =
            ::write(input_.get(), waiting_input_.data() + taken, waiting_input_.size() - taken);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) break;
        // Nobody reads it any more.
        if (put < 0) {
            input_.reset();
            break;
        }
        taken += static_cast<size_t>(put);
    }
    if (!input_) taken = waiting_input_.size();
    if (taken > 0) {
        waiting_input_.erase(0, taken);
        port_.send(RecordType::kProgram,
                   "{\"event\":\"taken\",\"bytes\":" + std::to_string(taken) + "}");
    }
    // A terminal has no end; the program reads one when Ctrl-D is typed.
    if (input_ended_ && waiting_input_.empty() && !terminal_) input_.reset();
}

// What is there of all streams. The program may have left some of them to others, so that their end
// says nothing.
void Session::drain() {
    std::array<char, 32768> chunk{};
    for (Source& source : sources_) {
        for (int turn = 0; source.fd && turn < 16; ++turn) {
            const ssize_t got = ::read(source.fd.get(), chunk.data(), chunk.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) break;
            // EIO is the end of a terminal that nobody has open any more.
            if (got <= 0) {
                source.fd.reset();
                break;
            }
            port_.send_output(source.stream,
                              std::string_view(chunk.data(), static_cast<size_t>(got)));
        }
    }
    std::erase_if(sources_, [](const Source& source) { return !source.fd; });
}

void Session::send_signal(const Child& child, int number) const {
    // Each leads a session, so that its children hear of it, too.
    if (child.runs()) ::kill(-child.pid, number);
}

void Session::keep_time(Clock::time_point now) {
    restart_in_time(now);
    if (!program_.runs()) return;
    if (plan_.peer.arguments.empty()) return;
    if (peer_.pid < 0 && !peer_.ended) {
        if (now < last_look_ + kLookEvery) return;
        last_look_ = now;
        if (listens(kInit, plan_.peer.ports)) {
            start_peer();
            return;
        }
        if (plan_.rounds.empty() || now < started_ + kListenBound) return;
        peer_error_ = "nobody listens";
        peer_.ended = Ended{-1, kNotFound << 8};
        peer_done_ = now;
        return;
    }
    if (plan_.peer.first || !peer_done_) return;
    if (!asked_at_ && now >= *peer_done_ + seconds(plan_.peer.linger_seconds)) {
        asked_ = true;
        asked_at_ = now;
        send_signal(program_, SIGTERM);
    } else if (asked_at_ && now >= *asked_at_ + kTermBound) {
        asked_at_ = now;
        send_signal(program_, SIGKILL);
    }
}

// What is looked at seldom costs little, and one who runs for hours fills no log.
void Session::sample(Clock::time_point now) {
    if (probe_ == nullptr || !program_.runs() || samples_ == kMostSamples) return;
    if (now < last_sample_ + kSampleEvery) return;
    last_sample_ = now;
    ++samples_;
    port_.send(RecordType::kProgram, "{\"event\":\"zcrx-time\",\"seconds\":" +
                                         std::to_string(duration<double>(now - started_).count()) +
                                         "," + probe_->sample() + "}");
}

int Session::finish() {
    const Ended& ended = *program_.ended;
    const bool killed = WIFSIGNALED(ended.status);
    const int peer_code = peer_.ended ? peer_.ended->code() : 0;
    int code = timed_out_ ? kTimedOut : ended.code();
    // It did not end by itself, so its end says less than the peer's.
    if (asked_ && !timed_out_ && (killed || peer_code != 0)) code = peer_code;
    std::string json = "{\"event\":\"ended\",\"exit\":" + std::to_string(ended.code());
    json += ",\"pid\":" + std::to_string(ended.pid);
    if (killed) json += ",\"signal\":" + std::to_string(WTERMSIG(ended.status));
    if (timed_out_) json += ",\"timed_out\":true";
    if (asked_) json += ",\"asked\":true";
    json += ",\"seconds\":" + std::to_string(duration<double>(Clock::now() - started_).count());
    std::string left;
    for (const std::string& process : user_processes())
        left += (left.empty() ? "" : ",") + json_string(process);
    json += ",\"left\":[" + left + "]";
    if (!plan_.peer.arguments.empty()) {
        const bool started = peer_.pid > 0;
        json += std::string(",\"peer\":{\"started\":") + (started ? "true" : "false");
        if (started && peer_.ended) json += ",\"exit\":" + std::to_string(peer_code);
        if (peer_killed_) json += ",\"killed\":true";
        if (!peer_error_.empty()) json += ",\"error\":" + json_string(peer_error_);
        json += "}";
    }
    port_.send(RecordType::kProgram, json + "}");
    // What it has started would meet the next one.
    if (!plan_.rounds.empty()) ::kill(-ended.pid, SIGKILL);
    return code;
}

}  // namespace zcrxlab
