// zcrx-peer: the far end of a lab run on another machine. It is copied there, removes its file as
// its first act, joins a port with its standard input and output, and changes nothing.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/base/exit_code.hpp"
#include "harness/lab/far/ethernet_port.hpp"
#include "harness/lab/far/frame_stream.hpp"
#include "harness/lab/far/joint.hpp"
#include "harness/lab/peer_program/own_ports.hpp"

namespace {

using namespace zcrxlab;

constexpr std::string_view kManual = R"(NAME
    zcrx-peer - the far end of a lab run on another machine

SYNOPSIS
    zcrx-peer [--remove-self] [IFNAME]

    "zcrxlab lab --peer ssh:HOST" copies it to HOST and starts it there; there is no need to do so by
    hand. It joins the port IFNAME (or the only one that has a link and that nobody needs) with
    standard input and output: Ethernet frames in both directions. It adds no address, route or
    namespace, and brings nothing up or down; it ends with its standard input.

    --remove-self  remove the program's own file first

EXIT CODES
    0 standard input has ended, 1 something failed, 64 usage
)";

Result<void> write_out(std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return error_from_errno("write to standard output");
        text.remove_prefix(static_cast<size_t>(put));
    }
    return {};
}

void remove_self() {
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = '\0';
    ::unlink(path);
}

// One run at a time has a port. A name without a file leaves nothing behind.
Result<Fd> only_one_on(const std::string& interface) {
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "zcrx-peer " + interface;
    std::memcpy(name.sun_path + 1, text.data(), std::min(text.size(), sizeof name.sun_path - 1));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0)
        return Error{EBUSY, interface + " belongs to another run; wait for its end"};
    return socket;
}

// False at the end of the input.
Result<bool> asked_to_begin() {
    FrameReader reader;
    for (;;) {
        std::array<std::byte, 4> header{};
        const ssize_t got = ::read(STDIN_FILENO, header.data(), header.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return error_from_errno("read standard input");
        if (got == 0) return false;
        reader.feed(std::span(header).first(static_cast<size_t>(got)));
        const auto frame = reader.next();
        if (!frame) return frame.error();
        if (*frame) return true;
    }
}

Result<void> serve(const std::string& interface) {
    const std::vector<PortFacts> ports = own_ports();
    auto port = choose_port("/", interface, own_machine(ports), ports);
    FarPort none;
    none.refusals.resize(1);
    auto socket = open_packet_socket();
    Result<Fd> alone = Fd();
    if (!port) {
        none.refusals[0] = port.error().sentence;
        port = none;
    } else if (!socket) {
        port->refusals.push_back("it needs root there to send frames (" + socket.error().sentence +
                                 "); type: --peer ssh:root@HOST, or let the user type sudo there "
                                 "without a password");
    } else {
        alone = only_one_on(port->interface);
        if (!alone) port->refusals.push_back(alone.error().sentence);
    }
    if (auto told = write_out(to_text(*port)); !told) return told;
    if (!port->refusals.empty()) return {};
    const auto begin = asked_to_begin();
    if (!begin) return begin.error();
    if (!*begin) return {};
    unsigned ifindex = 0;
    for (const PortFacts& one : ports)
        if (one.interface == port->interface) ifindex = one.ifindex;
    auto joined = packet_port(std::move(*socket), ifindex);
    if (!joined) return joined.error();
    auto joint = Joint::make(std::move(*joined), STDIN_FILENO, STDOUT_FILENO);
    if (!joint) return joint.error();
    pollfd waiting{(*joint)->ended(), POLLIN, 0};
    while (::poll(&waiting, 1, -1) < 0) {
    }
    const auto end = (*joint)->end();
    return end && end->code != EPIPE ? Result<void>(*end) : Result<void>();
}

}  // namespace

int main(int argc, char** argv) {
    std::string interface;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--help" || word == "-h") {
            std::printf("%s", kManual.data());
            return 0;
        }
        if (word == "--remove-self") {
            remove_self();
        } else if (word.starts_with("-") || !interface.empty()) {
            std::fprintf(stderr, "zcrx-peer: \"%s\" is too much. See zcrx-peer --help.\n", argv[i]);
            return kExitUsage;
        } else {
            interface = word;
        }
    }
    ::signal(SIGPIPE, SIG_IGN);
    const auto served = serve(interface);
    if (served) return 0;
    std::fprintf(stderr, "zcrx-peer: %s\n", served.error().sentence.c_str());
    return kExitFailed;
}
