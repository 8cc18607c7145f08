// Starts the emulated NIC's process and talks to its control channel.
#include "vm/watch/nic_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/json.hpp"
#include "harness/faults/fault_rule_json.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kStartBound{5'000};
constexpr milliseconds kAnswerBound{2'000};
constexpr size_t kLongestAnswer = 4U << 20;

Result<Fd> connect_to(const fs::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.native().size() >= sizeof(address.sun_path))
        return Error{ENAMETOOLONG, "The socket path " + path.string() + " is too long."};
    std::memcpy(address.sun_path, path.c_str(), path.native().size());
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket ||
        ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
        return error_from_errno("connect to " + path.string());
    return socket;
}

std::string end_of(const fs::path& file) {
    const std::string text = text_of_file(file);
    constexpr size_t kKept = 2000;
    return text.size() > kKept ? text.substr(text.size() - kKept) : text;
}

}  // namespace

std::vector<std::string> nic_command(const fs::path& program, std::string_view model,
                                     const NicFiles& files, std::chrono::microseconds rsc_hold) {
    return {program.string(),
            "--model",
            std::string(model),
            "--port",
            files.receiver_socket.string(),
            "--port",
            files.peer_socket.string(),
            "--control",
            files.control_socket.string(),
            "--pcap",
            files.capture.string(),
            "--rsc-hold",
            std::to_string(rsc_hold.count())};
}

Result<std::string> ask_nic(const fs::path& control, const std::string& line, milliseconds bound) {
    const Result<Fd> socket = connect_to(control);
    if (!socket) return socket.error();
    const std::string request = line + "\n";
    if (::send(socket->get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        return error_from_errno("send to " + control.string());
    const auto until = steady_clock::now() + bound;
    std::string answer;
    while (answer.find('\n') == std::string::npos) {
        const auto left =
            std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
        pollfd ready{socket->get(), POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0)
            return Error{ETIMEDOUT,
                         "The emulated NIC does not answer on " + control.string() + "."};
        std::array<char, 4096> chunk{};
        const ssize_t got = ::read(socket->get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return Error{EPIPE,
                         "The emulated NIC closed " + control.string() + " without an answer."};
        answer.append(chunk.data(), static_cast<size_t>(got));
        if (answer.size() > kLongestAnswer)
            return Error{EPROTO, "What answers on " + control.string() + " does not end its line."};
    }
    return answer.substr(0, answer.find('\n'));
}

Result<ChildProcess> start_nic(const std::vector<std::string>& command, const fs::path& control,
                               const fs::path& log) {
    Fd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
    if (!output) return error_from_errno("open " + log.string());
    ChildOptions options;
    options.arguments = command;
    options.output = output.get();
    options.error = output.get();
    Result<ChildProcess> nic = ChildProcess::start(options);
    if (!nic) return nic;
    const auto until = steady_clock::now() + kStartBound;
    for (;;) {
        if (nic->wait(milliseconds(2)))
            return Error{EIO, "The emulated NIC's process " + describe_status(*nic->status()) +
                                  " at its start:\n" + end_of(log)};
        if (ask_nic(control, R"({"do":"ping"})", kAnswerBound)) return nic;
        if (steady_clock::now() > until)
            return Error{ETIMEDOUT,
                         "The emulated NIC's process did not get ready:\n" + end_of(log)};
    }
}

Result<void> inject_fault(const fs::path& control, const FaultRule& rule) {
    // Scenarios clear rules of their own; what the person asked for stays.
    const nlohmann::ordered_json request{
        {"do", "fault"}, {"rule", fault_rule_to_json(rule)}, {"standing", true}};
    const Result<std::string> answer = ask_nic(control, json_text(request), kAnswerBound);
    if (!answer) return answer.error();
    const auto said = parse_json(*answer);
    if (said && get_or(*said, "ok", false)) return {};
    const std::string why = said ? get_or(*said, "error", *answer) : *answer;
    return Error{EINVAL,
                 "The emulated NIC refuses the fault rule " + fault_rule_text(rule) + ": " + why};
}

}  // namespace zcrxlab
