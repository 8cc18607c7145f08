// Starts a child with a pidfd, waits for it with a bound, and kills it.
#include "scenarios/runner/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/base/fd.hpp"
#include "harness/base/pipe.hpp"
#include "harness/base/slowness.hpp"

namespace zcrxlab {

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
constexpr std::chrono::milliseconds kDeathBound{5000};
constexpr size_t kOutputKept = size_t{16} << 10;

int milliseconds_until(Clock::time_point when) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - Clock::now()).count();
    return static_cast<int>(std::max<decltype(left)>(left, 0));
}

std::string first_line_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// One line per thread: its name, where it waits, its system call, the top of its kernel stack.
std::vector<std::string> what_threads_do(pid_t group) {
    std::vector<std::string> lines;
    std::error_code ignored;
    const std::filesystem::path tasks = "/proc/" + std::to_string(group) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, ignored)) {
        std::string line = "thread " + task.path().filename().string() + " (" +
                           first_line_of(task.path() / "comm") + "): waits in " +
                           first_line_of(task.path() / "wchan") + ", system call " +
                           first_line_of(task.path() / "syscall");
        std::ifstream stack(task.path() / "stack");
        std::string frame;
        for (int depth = 0; depth < 6 && std::getline(stack, frame); ++depth)
            line += (depth == 0 ? ", stack " : " < ") + frame.substr(frame.find(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

class Output {
  public:
    Output(Fd fd, const std::function<void(std::string_view)>& listener)
        : fd_(std::move(fd)), listener_(listener) {}

    int fd() const { return fd_.get(); }
    // Reads what there is; false at the end.
    bool drain() {
        char buffer[4096];
        while (true) {
            const ssize_t got = read(fd_.get(), buffer, sizeof(buffer));
            if (got < 0) return errno == EAGAIN || errno == EINTR;
            if (got == 0) return false;
            const std::string_view text(buffer, static_cast<size_t>(got));
            if (listener_) listener_(text);
            kept_ += text;
            if (kept_.size() > 2 * kOutputKept) kept_.erase(0, kept_.size() - kOutputKept);
        }
    }
    std::string last() const {
        return kept_.size() > kOutputKept ? kept_.substr(kept_.size() - kOutputKept) : kept_;
    }

  private:
    Fd fd_;
    const std::function<void(std::string_view)>& listener_;
    std::string kept_;
};

// Waits until the process ends, reading its output meanwhile; false at the deadline.
bool wait_for_end(int pidfd, Output& output, Clock::time_point deadline) {
    bool open = true;
    while (true) {
        pollfd fds[2] = {{pidfd, POLLIN, 0}, {open ? output.fd() : -1, POLLIN, 0}};
        const int ready = poll(fds, 2, milliseconds_until(deadline));
        if (ready < 0 && errno != EINTR) return false;
        if (ready > 0 && fds[1].revents != 0) open = output.drain();
        if (ready > 0 && fds[0].revents != 0) return true;
        if (Clock::now() >= deadline) return false;
    }
}

}  // namespace

Result<ChildEnd> run_child(Zygote& zygote, const ChildOrder& order) {
    Result<Pipe> pipe = Pipe::create(EmptyPipe::kSaysAgain);
    if (!pipe) return pipe.error();

    const auto started = Clock::now();
    const Result<pid_t> spawned = zygote.spawn(order.what, pipe->writing.get(), order.inherited);
    if (!spawned) return spawned.error();
    const pid_t child = *spawned;
    pipe->writing.reset();
    Output output(std::move(pipe->reading), order.on_output);

    Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    if (!pidfd) {
        const Error error = error_from_errno("pidfd_open");
        kill(-child, SIGKILL);
        static_cast<void>(zygote.reap(child));
        return error;
    }

    ChildEnd end;
    bool gone = wait_for_end(pidfd.get(), output, started + order.bound);
    if (!gone) {
        end.doing = what_threads_do(child);
        kill(-child, SIGKILL);
        gone = wait_for_end(pidfd.get(), output, Clock::now() + scaled(kDeathBound));
        end.how = gone ? ChildEnd::How::kTimedOut : ChildEnd::How::kStuck;
    }
    const auto ended = Clock::now();
    kill(-child, SIGKILL);  // what it started and left behind
    output.drain();
    if (gone) {
        const Result<int> status = zygote.reap(child);
        if (!status) return status.error();
        if (end.how == ChildEnd::How::kExited && WIFSIGNALED(*status))
            end.how = ChildEnd::How::kSignalled;
        end.code = WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status);
    }
    end.seconds = std::chrono::duration<double>(ended - started).count();
    end.ended_at = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(ended.time_since_epoch()).count());
    end.output = output.last();
    return end;
}

std::string describe(const ChildEnd& end, std::chrono::milliseconds bound) {
    const std::string seconds = std::to_string(bound.count() / 1000) + "." +
                                std::to_string(bound.count() % 1000 / 100) + " s";
    std::string text;
    switch (end.how) {
        case ChildEnd::How::kExited:
            return "exited with code " + std::to_string(end.code);
        case ChildEnd::How::kSignalled:
            return "was killed by signal " + std::to_string(end.code) + " (" + strsignal(end.code) +
                   ")";
        case ChildEnd::How::kTimedOut:
            text = "did not end within " + seconds + " and was killed";
            break;
        case ChildEnd::How::kStuck:
            text = "did not end within " + seconds + ", and does not go away when it is killed";
            break;
    }
    for (const std::string& line : end.doing) text += "\n  " + line;
    return text;
}

}  // namespace zcrxlab
