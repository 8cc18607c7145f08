// run_program with fork and exec, a pipe for the output and poll for the bound on its time.
#include "harness/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "harness/base/exit_code.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/pipe.hpp"
#include "harness/base/stop_signals.hpp"

namespace zcrxlab {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kOutputLimit = size_t{64} << 20;
// How soon a signal that waits is noticed.
constexpr auto kStopPoll = std::chrono::milliseconds(100);

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        const bool replaced = std::any_of(added.begin(), added.end(),
                                          [&](const auto& pair) { return pair.first == name; });
        if (!replaced) all.push_back(text);
    }
    for (const auto& [name, value] : added) all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (std::string& text : strings) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// In the child. Only calls that are safe after fork() in a program with threads.
[[noreturn]] void become(char** arguments, char** environment, const char* folder, int output,
                         int exec_error, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kExitNotFound);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    if (folder == nullptr || ::chdir(folder) == 0) ::execvpe(arguments[0], arguments, environment);
    const int code = errno;
    [[maybe_unused]] const ssize_t told = ::write(exec_error, &code, sizeof(code));
    ::_exit(kExitNotFound);
}

// Cuts what arrives into lines.
class Lines {
  public:
    explicit Lines(const std::function<bool(const std::string&)>& on_line) : on_line_(on_line) {}

    // False once the listener has heard enough.
    bool add(const char* data, size_t size) {
        for (size_t i = 0; i < size; ++i) {
            if (data[i] != '\n' && data[i] != '\r') {
                line_.push_back(data[i]);
            } else if (!line_.empty()) {
                if (line_ != last_) news_ = Clock::now();
                const bool more = !on_line_ || on_line_(line_);
                last_ = std::move(line_);
                line_.clear();
                if (!more) return false;
            }
        }
        return true;
    }

    // When there was a line that was not the one before.
    Clock::time_point news() const { return news_; }

  private:
    const std::function<bool(const std::string&)>& on_line_;
    std::string line_, last_;
    Clock::time_point news_ = Clock::now();
};

// The status of a child that a signal shall end; none if it is there after a second.
std::optional<int> reap_after(pid_t child, int signal) {
    ::kill(child, signal);
    int status = 0;
    for (int tries = 0; tries < 100; ++tries) {
        if (::waitpid(child, &status, WNOHANG) == child) return status;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::nullopt;
}

// Does not wait for ever: a process stuck in the kernel must not take us along.
int reap_killed(pid_t child) {
    return reap_after(child, SIGKILL).value_or(SIGKILL);
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ProgramRun> run_program(const std::vector<std::string>& command,
                               const ProgramOptions& options) {
    if (command.empty()) return Error{EINVAL, "No program was named."};
    Result<Pipe> output = Pipe::create();
    if (!output) return output.error();
    Result<Pipe> exec_error = Pipe::create();
    if (!exec_error) return exec_error.error();

    std::vector<std::string> argument_strings = command;
    std::vector<std::string> environment_strings = environment_with(options.environment);
    const std::vector<char*> arguments = pointers(argument_strings);
    const std::vector<char*> environment = pointers(environment_strings);
    const std::string folder = options.folder.string();
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return error_from_errno("fork for " + command[0]);
    if (child == 0)
        become(const_cast<char**>(arguments.data()), const_cast<char**>(environment.data()),
               folder.empty() ? nullptr : folder.c_str(), output->writing.get(),
               exec_error->writing.get(), parent);
    output->writing.reset();
    exec_error->writing.reset();

    int exec_errno = 0;
    if (::read(exec_error->reading.get(), &exec_errno, sizeof(exec_errno)) == sizeof(exec_errno)) {
        ::waitpid(child, nullptr, 0);
        return error_from_errno("start " + command[0], exec_errno);
    }

    ProgramRun run;
    Lines lines(options.on_line);
    const auto deadline =
        options.timeout ? Clock::now() + *options.timeout : Clock::time_point::max();
    std::array<char, 16384> buffer{};
    while (true) {
        if (options.stoppable && stop_signal_waits()) {
            // What started others, as make does, ends these.
            if (!reap_after(child, SIGTERM)) reap_killed(child);
            return Error{EINTR, "Interrupted."};
        }
        auto until = deadline;
        if (options.silence) until = std::min(until, lines.news() + *options.silence);
        const auto now = Clock::now();
        if (until <= now) {
            run.timed_out = true;
            break;
        }
        if (options.stoppable) until = std::min(until, now + kStopPoll);
        int wait_ms = -1;
        if (until != Clock::time_point::max()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
            wait_ms = static_cast<int>(std::min<int64_t>(left, 60'000));
        }
        pollfd ready{output->reading.get(), POLLIN, 0};
        if (::poll(&ready, 1, wait_ms) <= 0) continue;
        const ssize_t size = ::read(output->reading.get(), buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        const size_t room = kOutputLimit - run.output.size();
        run.output.append(buffer.data(), std::min(room, static_cast<size_t>(size)));
        if (!lines.add(buffer.data(), static_cast<size_t>(size))) {
            run.ended = true;
            break;
        }
    }
    int status = 0;
    if (run.timed_out || run.ended) {
        status = reap_killed(child);
    } else {
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    run.exit_code = exit_code_of(status);
    return run;
}

bool program_exists(const std::string& name) {
    if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    std::string folder;
    while (std::getline(folders, folder, ':'))
        if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
    return false;
}

std::string last_lines(const std::string& output, size_t count) {
    size_t end = output.size();
    while (end > 0 && output[end - 1] == '\n') --end;
    size_t start = end;
    while (start > 0) {
        if (output[start - 1] == '\n' && --count == 0) break;
        --start;
    }
    return output.substr(start, end - start);
}

}  // namespace zcrxlab
