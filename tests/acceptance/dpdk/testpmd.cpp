// The terminal of dpdk-testpmd. On one, it prints its lines as they come and in the order of its
// prompts, which on a pipe it does not.
#include "tests/acceptance/dpdk/testpmd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "harness/base/program.hpp"

namespace zcrxlab::dpdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kPrompt = "testpmd> ";
constexpr size_t kMostOutput = 64 << 20;

bool at_prompt(std::string_view said) {
    return said.ends_with(kPrompt);
}

}  // namespace

Result<Testpmd> Testpmd::start(const std::vector<std::string>& command, milliseconds bound) {
    Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal || ::grantpt(terminal.get()) != 0 || ::unlockpt(terminal.get()) != 0)
        return error_from_errno("open a terminal");
    const char* name = ::ptsname(terminal.get());
    Fd inside(name != nullptr ? ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1);
    if (!inside) return error_from_errno("open the other end of a terminal");
    termios settings{};
    ::tcgetattr(inside.get(), &settings);
    ::cfmakeraw(&settings);
    ::tcsetattr(inside.get(), TCSANOW, &settings);
    ChildOptions options;
    options.arguments = command;
    options.input = options.output = options.error = inside.get();
    auto child = ChildProcess::start(options);
    if (!child) return child.error();
    Testpmd testpmd(std::move(child).value(), std::move(terminal), bound);
    inside.reset();
    auto greeting = testpmd.read_until(at_prompt);
    if (!greeting) return greeting.error();
    testpmd.greeting_ = std::move(greeting).value();
    return testpmd;
}

Result<std::string> Testpmd::ask(const std::string& command) {
    return ask_until(command, at_prompt);
}

Result<std::string> Testpmd::ask_until(const std::string& command,
                                       const std::function<bool(std::string_view)>& enough) {
    if (auto sent = send(command); !sent) return sent.error();
    // Its echo ends with the prompt's line, and everything behind that is the answer.
    return read_until([&](std::string_view said) {
        return said.find('\n') != std::string_view::npos && enough(said);
    });
}

Result<void> Testpmd::quit() {
    if (auto sent = send("quit"); !sent) return sent;
    const auto until = steady_clock::now() + bound_;
    char ignored[4096];
    // The terminal says EIO once nobody is at its other end.
    while (steady_clock::now() < until) {
        pollfd waiting{terminal_.get(), POLLIN, 0};
        if (::poll(&waiting, 1, 100) > 0 && ::read(terminal_.get(), ignored, sizeof(ignored)) <= 0)
            break;
    }
    if (!child_.wait(bound_)) return Error{ETIMEDOUT, "testpmd does not quit."};
    const std::optional<int> status = child_.status();
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
    return Error{EIO, "testpmd did not end well."};
}

Result<void> Testpmd::send(const std::string& line) {
    const std::string text = line + "\n";
    size_t at = 0;
    while (at < text.size()) {
        const ssize_t count = ::write(terminal_.get(), text.data() + at, text.size() - at);
        if (count < 0 && errno != EINTR) return error_from_errno("write to testpmd");
        if (count > 0) at += static_cast<size_t>(count);
    }
    return {};
}

Result<std::string> Testpmd::read_until(const std::function<bool(std::string_view)>& enough) {
    std::string said;
    const auto until = steady_clock::now() + bound_;
    while (!enough(said)) {
        const auto left =
            std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
        if (left <= 0 || said.size() > kMostOutput)
            return Error{ETIMEDOUT,
                         "testpmd does not come to an end; it said: " + last_lines(said, 5)};
        pollfd waiting{terminal_.get(), POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
        char bytes[16384];
        const ssize_t count = ::read(terminal_.get(), bytes, sizeof(bytes));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return Error{EIO, "testpmd has ended; it said: " + last_lines(said, 5)};
        said.append(bytes, static_cast<size_t>(count));
        std::erase(said, '\r');
    }
    return said;
}

}  // namespace zcrxlab::dpdk
