// Stream progress: questions to a socket.
#include "scenarios/framework/streams/stream_progress.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "harness/base/errno_name.hpp"
#include "harness/ring/socket_queues.hpp"

namespace zcrxlab {

std::string state_of_socket(int socket) {
    constexpr std::array kStates = {"?",          "ESTABLISHED", "SYN_SENT",  "SYN_RECV",
                                    "FIN_WAIT1",  "FIN_WAIT2",   "TIME_WAIT", "CLOSE",
                                    "CLOSE_WAIT", "LAST_ACK",    "LISTEN",    "CLOSING"};
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return "gone";
    std::string text = info.tcpi_state < kStates.size() ? kStates[info.tcpi_state] : "?";
    pollfd asked{socket, POLLIN | POLLRDHUP, 0};
    ::poll(&asked, 1, 0);
    constexpr std::pair<short, const char*> kEvents[] = {{POLLIN, " POLLIN"},
                                                         {POLLRDHUP, " POLLRDHUP"},
                                                         {POLLHUP, " POLLHUP"},
                                                         {POLLERR, " POLLERR"}};
    for (const auto& [event, name] : kEvents)
        if ((asked.revents & event) != 0) text += name;
    return text;
}

std::string socket_state(int socket) {
    return "its socket is " + state_of_socket(socket);
}

std::string progress_of(const StreamState& state, std::optional<uint64_t> sent) {
    std::string text =
        "stream " + std::to_string(state.stream) + " has " + std::to_string(state.bytes);
    if (sent) text += " of the " + std::to_string(*sent);
    text += sent ? " bytes that the peer's socket took, " : " bytes, ";
    if (bytes_queued(state.socket) > 0) text += "data waits in its socket, ";
    text += state.armed ? "armed" : "not armed";
    return text + ", last final result " + result_name(state.final_result) + ", " +
           socket_state(state.socket);
}

}  // namespace zcrxlab
