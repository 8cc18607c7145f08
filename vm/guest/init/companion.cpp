// Starts and ends it.
#include "vm/guest/init/companion.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>

#include "harness/base/pipe.hpp"
#include "vm/guest/init/launch.hpp"

namespace zcrxlab {

namespace {

constexpr std::chrono::milliseconds kFirstLineBound{20'000};

}  // namespace

Result<Companion> Companion::start(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment) {
    if (arguments.empty()) return Companion(-1);
    Result<Pipe> pipe = Pipe::create();
    if (!pipe) return pipe.error();
    Launch launch;
    launch.arguments = arguments;
    launch.environment = environment;
    launch.output = launch.error = pipe->writing.get();
    const Result<pid_t> pid = start_program(launch);
    if (!pid) return pid.error();
    Companion companion(*pid);
    pipe->writing.reset();
    std::string said;
    const auto until = std::chrono::steady_clock::now() + kFirstLineBound;
    while (said.find('\n') == std::string::npos && std::chrono::steady_clock::now() < until) {
        pollfd ready{pipe->reading.get(), POLLIN, 0};
        if (::poll(&ready, 1, 100) <= 0) continue;
        std::array<char, 512> chunk{};
        const ssize_t got = ::read(pipe->reading.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Error{EIO, arguments.front() + " ended without a word."};
        said.append(chunk.data(), static_cast<size_t>(got));
    }
    if (!std::string_view(said).starts_with(kReadyWord))
        return Error{EIO, arguments.front() + ": " + said.substr(0, said.find('\n'))};
    return companion;
}

Companion::~Companion() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    // It may have been collected with others.
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace zcrxlab
