// Reads the kernel's tables of TCP sockets.
#include "vm/guest/tcp_sockets.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

// The word at `number`, counted from 0.
std::string_view word_of(std::string_view line, size_t number) {
    for (;; --number) {
        const size_t start = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(start);
        const std::string_view word = line.substr(0, line.find(' '));
        if (number == 0) return word;
        line.remove_prefix(word.size());
        if (line.empty()) return {};
    }
}

// "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 ..."
std::optional<TcpSocket> socket_in(std::string_view line) {
    const std::string_view local = word_of(line, 1), queues = word_of(line, 4);
    const size_t colon = local.find(':'), between = queues.find(':');
    if (colon == std::string_view::npos || between == std::string_view::npos) return std::nullopt;
    const auto port = number_from_hex<uint16_t>(local.substr(colon + 1));
    const auto state = number_from_hex<uint8_t>(word_of(line, 3));
    const auto sent = number_from_hex<uint64_t>(queues.substr(0, between));
    const auto came = number_from_hex<uint64_t>(queues.substr(between + 1));
    if (!port || !state || !sent || !came) return std::nullopt;
    return TcpSocket{*port, *state, *sent, *came};
}

}  // namespace

std::vector<TcpSocket> tcp_sockets_in(std::string_view text) {
    std::vector<TcpSocket> sockets;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (const auto socket = socket_in(text.substr(0, end))) sockets.push_back(*socket);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return sockets;
}

std::vector<TcpSocket> tcp_sockets(pid_t process) {
    std::vector<TcpSocket> sockets;
    const std::string folder = "/proc/" + std::to_string(process) + "/net/";
    for (const char* table : {"tcp", "tcp6"}) {
        const auto text = read_file(folder + table);
        if (!text) continue;
        const auto more = tcp_sockets_in(*text);
        sockets.insert(sockets.end(), more.begin(), more.end());
    }
    return sockets;
}

bool listens(pid_t process, const std::vector<uint16_t>& ports) {
    return std::ranges::any_of(tcp_sockets(process), [&](const TcpSocket& socket) {
        return socket.state == kTcpListen &&
               (ports.empty() || std::ranges::find(ports, socket.local_port) != ports.end());
    });
}

}  // namespace zcrxlab
