// Runs ssh as a child process that has a socket in place of a terminal.
#include "harness/lab/far/ssh_peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <span>
#include <thread>
#include <vector>

#include "harness/base/file.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Of the network, the login there, and a few megabytes.
constexpr seconds kHelloBound{60};
constexpr seconds kEndBound{5};

bool is_name(std::string_view text) {
    return !text.empty() && text.size() < 16 && text.find_first_of(" /:'\"\\$`,\t\n") == text.npos;
}

Error no_peer(std::string_view text) {
    return {EINVAL, "\"" + std::string(text) +
                        "\" is no peer; type: --peer netns:IFNAME, or --peer ssh:HOST[,IFNAME]"};
}

std::array<Fd, 2> socket_pair() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
    return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Result<PeerPlace> peer_place(std::string_view text) {
    constexpr std::string_view kHere = "netns:", kThere = "ssh:";
    PeerPlace place;
    if (!text.starts_with(kThere)) {
        const std::string_view name = text.starts_with(kHere) ? text.substr(kHere.size()) : text;
        if (!is_name(name)) return no_peer(text);
        place.interface = name;
        return place;
    }
    const std::string_view rest = text.substr(kThere.size());
    const size_t comma = std::min(rest.find(','), rest.size());
    place.host = rest.substr(0, comma);
    if (comma < rest.size()) place.interface = rest.substr(comma + 1);
    // ssh would take a dash for an option.
    if (place.host.empty() || place.host.front() == '-' ||
        place.host.find_first_of(" \t\n") != std::string::npos ||
        (comma < rest.size() && !is_name(place.interface)))
        return no_peer(text);
    return place;
}

std::string script_for(size_t size, const std::string& interface) {
    // Where programs cannot be run (noexec), not even an empty one can.
    std::string script =
        "f=\n"
        "trap 'rm -f \"$f\"' EXIT\n"
        "trap 'exit 1' HUP INT TERM PIPE\n"
        "for d in \"$XDG_RUNTIME_DIR\" /tmp /var/tmp \"$HOME\"; do\n"
        "  [ -d \"$d\" ] && [ -w \"$d\" ] || continue\n"
        "  f=$(mktemp \"$d/zcrx-peer.XXXXXX\") || continue\n"
        "  printf '#!/bin/sh\\n' >\"$f\" && chmod 700 \"$f\" && \"$f\" 2>/dev/null && break\n"
        "  rm -f \"$f\"; f=\n"
        "done\n"
        "[ -n \"$f\" ] || { echo 'no folder there can hold a program' >&2; exit 1; }\n";
    script += "head -c " + std::to_string(size) + " >\"$f\" || exit 1\n";
    script +=
        "s=; [ \"$(id -u)\" = 0 ] || ! sudo -n true 2>/dev/null || s='sudo -n'\n"
        "$s \"$f\" --remove-self";
    if (!interface.empty()) script += " '" + interface + "'";
    // Whatever shell the user has there.
    std::string quoted = "exec sh -c '";
    for (const char c : script) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::vector<std::string> ssh_command(const std::string& host, const std::string& script) {
    std::vector<std::string> command{"ssh", "-T"};
    for (const char* option :
         {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=5", "ForwardAgent=no",
          "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no", "PermitLocalCommand=no",
          "RemoteCommand=none", "ControlMaster=no"})
        command.insert(command.end(), {"-o", option});
    command.insert(command.end(), {"--", host, script});
    return command;
}

Result<void> SshPeer::start(const std::string& script) {
    auto stream = socket_pair();
    auto words = socket_pair();
    if (!stream[0] || !words[0]) return error_from_errno("make a pair of sockets");
    const std::vector<std::string> command = ssh_command(host_, script);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&how);
    ::posix_spawn_file_actions_adddup2(&files, stream[1].get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, stream[1].get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, words[1].get(), STDERR_FILENO);
    // Ctrl-C is for us, who have something to restore; and what we block, it does not.
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&how, &none);
    ::posix_spawnattr_setpgroup(&how, 0);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int failed = ::posix_spawnp(&ssh_, arguments[0], &files, &how, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&how);
    if (failed != 0) {
        ssh_ = -1;
        return Error{failed, "There is no ssh on this machine; type: apt install openssh-client"};
    }
    stream_ = std::move(stream[0]);
    words_ = std::move(words[0]);
    ::fcntl(words_.get(), F_SETFL, O_NONBLOCK);
    return {};
}

Result<void> SshPeer::send_program(const std::filesystem::path& program) {
    const Result<std::string> bytes = read_file(program);
    if (!bytes) return bytes.error();
    std::string_view rest = *bytes;
    const timeval bound{kHelloBound.count(), 0};
    ::setsockopt(stream_.get(), SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
    while (!rest.empty()) {
        const ssize_t put = ::send(stream_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return not_started();
        rest.remove_prefix(static_cast<size_t>(put));
    }
    return {};
}

Result<void> SshPeer::hear_hello() {
    std::string heard;
    const auto until = steady_clock::now() + kHelloBound;
    for (;;) {
        pollfd waiting{stream_.get(), POLLIN, 0};
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
        if (left <= 0)
            return Error{ETIMEDOUT, host_ + " has not answered in " +
                                        std::to_string(kHelloBound.count()) + " s" + complaint()};
        if (::poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
        std::array<char, 4096> chunk;
        const ssize_t got = ::read(stream_.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return not_started();
        heard.append(chunk.data(), static_cast<size_t>(got));
        auto port = far_port_from(heard);
        if (!port) return port.error();
        if (!*port) continue;
        port_ = std::move(**port);
        if (port_.refusals.empty() && !is_name(port_.interface))
            return Error{EPROTO, host_ + " names no port."};
        return {};
    }
}

Error SshPeer::not_started() {
    return {EHOSTUNREACH, "No peer could be started on " + host_ + complaint() +
                              " It has to work without a question; type: ssh " + host_ + " true"};
}

std::string SshPeer::complaint() {
    // It has been said before the connection ends, but may come a moment later.
    wait_for_end();
    std::string said;
    std::array<char, 1024> chunk;
    for (ssize_t got; (got = ::read(words_.get(), chunk.data(), chunk.size())) > 0;)
        said.append(chunk.data(), static_cast<size_t>(got));
    for (char& c : said)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    while (said.ends_with(' ') || said.ends_with('.')) said.pop_back();
    return said.empty() ? "." : ": " + said + ".";
}

Result<std::unique_ptr<SshPeer>> SshPeer::connect(const PeerPlace& place,
                                                  const std::filesystem::path& program) {
    std::error_code error;
    const auto size = std::filesystem::file_size(program, error);
    if (error) return Error{error.value(), "Cannot read " + program.string() + "."};
    std::unique_ptr<SshPeer> peer(new SshPeer(place.host));
    if (auto started = peer->start(script_for(size, place.interface)); !started)
        return started.error();
    if (auto sent = peer->send_program(program); !sent) return sent.error();
    if (auto heard = peer->hear_hello(); !heard) return heard.error();
    return peer;
}

Result<void> SshPeer::join(std::unique_ptr<EthernetPort> port) {
    std::vector<std::byte> begin;
    append_frame(begin, {});
    if (::send(stream_.get(), begin.data(), begin.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(begin.size()))
        return Error{EHOSTUNREACH, "The connection to " + host_ + " has ended" + complaint()};
    auto joint = Joint::make(std::move(port), stream_.get(), stream_.get());
    if (!joint) return joint.error();
    joint_ = std::move(*joint);
    return {};
}

void SshPeer::wait_for_end() {
    if (ssh_ <= 0) return;
    const auto until = steady_clock::now() + kEndBound;
    ::shutdown(stream_.get(), SHUT_WR);
    while (::waitpid(ssh_, nullptr, WNOHANG) == 0) {
        if (steady_clock::now() > until) {
            ::kill(-ssh_, SIGKILL);
            ::waitpid(ssh_, nullptr, 0);
            break;
        }
        std::this_thread::sleep_for(milliseconds(10));
    }
    ssh_ = -1;
}

std::optional<Error> SshPeer::part() {
    std::optional<Error> early;
    if (joint_) early = joint_->end();
    joint_.reset();
    if (early) early->sentence = "The connection to " + host_ + " ended early" + complaint();
    wait_for_end();
    return early;
}

SshPeer::~SshPeer() {
    part();
}

}  // namespace zcrxlab
