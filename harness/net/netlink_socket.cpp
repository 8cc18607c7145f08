// One request at a time: send, then read datagrams until the answer is complete.
#include "harness/net/netlink_socket.hpp"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>

#include "harness/base/slowness.hpp"
#include "harness/uapi/netlink.hpp"

namespace zcrxlab {
namespace {

constexpr std::chrono::milliseconds kAnswerBound{10000};
constexpr int kTimesAgain = 5;
constexpr size_t kDatagram = 131072;  // more than a packet of 64 KiB and what is told of it

}  // namespace

void NetlinkSocket::Close::operator()(mnl_socket* socket) const {
    ::mnl_socket_close(socket);
}

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
    NetlinkSocket result;
    result.socket_.reset(::mnl_socket_open2(protocol, SOCK_CLOEXEC));
    if (!result.socket_) return error_from_errno("open a netlink socket");
    if (::mnl_socket_bind(result.socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0)
        return error_from_errno("bind a netlink socket");
    int on = 1;
    // All three are older than any kernel with zero-copy receive.
    for (const int option :
         {uapi::kNetlinkExtAck, uapi::kNetlinkCapAck, uapi::kNetlinkStrictCheck}) {
        if (::mnl_socket_setsockopt(result.socket_.get(), option, &on, sizeof on) != 0)
            return error_from_errno("set netlink option " + std::to_string(option));
    }
    return result;
}

Result<std::vector<NetlinkMessage>> NetlinkSocket::call(NetlinkRequest request,
                                                        std::string_view doing) {
    if ((request.flags() & NLM_F_DUMP) != NLM_F_DUMP) request.add_flags(NLM_F_ACK);
    for (int again = 0;; ++again) {
        bool interrupted = false;
        auto messages = call_once(request, doing, interrupted);
        if (!messages || !interrupted || again == kTimesAgain) return messages;
    }
}

Result<std::vector<NetlinkMessage>> NetlinkSocket::call_once(NetlinkRequest& request,
                                                             std::string_view doing,
                                                             bool& interrupted) {
    const uint32_t sequence = ++sequence_;
    request.set_sequence(sequence);
    const auto bytes = request.bytes();
    if (bytes.empty())
        return Error{EMSGSIZE, std::string(doing) + ": the netlink request is too large"};
    if (::mnl_socket_sendto(socket_.get(), bytes.data(), bytes.size()) < 0)
        return error_from_errno(std::string(doing));

    std::vector<NetlinkMessage> messages;
    for (;;) {
        const auto datagram = receive_answer(doing);
        if (!datagram) return datagram.error();
        auto answer = parse_datagram(*datagram, sequence, doing);
        if (!answer) return answer.error();
        for (NetlinkMessage& message : answer->messages) messages.push_back(std::move(message));
        interrupted = interrupted || answer->interrupted;
        if (answer->done) return messages;
    }
}

Result<std::optional<std::vector<std::byte>>> NetlinkSocket::receive(
    std::chrono::milliseconds bound, std::string_view doing) {
    std::vector<std::byte> datagram(kDatagram);
    for (;;) {
        pollfd waiting{::mnl_socket_get_fd(socket_.get()), POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(bound.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return error_from_errno(std::string(doing));
        if (ready == 0) return std::optional<std::vector<std::byte>>();
        // ENOSPC from libmnl: the datagram was larger than the buffer.
        const ssize_t got = ::mnl_socket_recvfrom(socket_.get(), datagram.data(), datagram.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return error_from_errno(std::string(doing));
        datagram.resize(static_cast<size_t>(got));
        return std::optional(std::move(datagram));
    }
}

Result<std::vector<std::byte>> NetlinkSocket::receive_answer(std::string_view doing) {
    const auto bound = scaled(kAnswerBound);
    auto datagram = receive(bound, doing);
    if (!datagram) return datagram.error();
    if (!*datagram)
        return Error{ETIMEDOUT, std::string(doing) + ": the kernel did not answer for " +
                                    std::to_string(bound.count() / 1000) + " s"};
    return std::move(**datagram);
}

Result<void> NetlinkSocket::call_together(std::vector<NetlinkRequest> requests,
                                          std::string_view doing) {
    std::vector<std::byte> together;
    std::vector<uint32_t> sequences, awaited;
    for (NetlinkRequest& request : requests) {
        request.set_sequence(++sequence_);
        sequences.push_back(sequence_);
        if ((request.flags() & NLM_F_ACK) != 0) awaited.push_back(sequence_);
        const auto bytes = request.bytes();
        if (bytes.empty())
            return Error{EMSGSIZE, std::string(doing) + ": a netlink request is too large"};
        together.insert(together.end(), bytes.begin(), bytes.end());
    }
    if (::mnl_socket_sendto(socket_.get(), together.data(), together.size()) < 0)
        return error_from_errno(std::string(doing));
    while (!awaited.empty()) {
        const auto datagram = receive_answer(doing);
        if (!datagram) return datagram.error();
        for (const uint32_t sequence : sequences) {
            const auto answer = parse_datagram(*datagram, sequence, doing);
            if (!answer) return answer.error();
            if (answer->done) std::erase(awaited, sequence);
        }
    }
    return {};
}

Result<void> NetlinkSocket::tell(NetlinkRequest request, std::string_view doing) {
    const auto bytes = request.bytes();
    if (bytes.empty())
        return Error{EMSGSIZE, std::string(doing) + ": the netlink request is too large"};
    if (::mnl_socket_sendto(socket_.get(), bytes.data(), bytes.size()) < 0)
        return error_from_errno(std::string(doing));
    return {};
}

Result<std::vector<NetlinkMessage>> NetlinkSocket::hear(std::chrono::milliseconds bound,
                                                        std::string_view doing) {
    const auto datagram = receive(bound, doing);
    if (!datagram) return datagram.error();
    if (!*datagram) return std::vector<NetlinkMessage>();
    auto answer = parse_datagram(**datagram, 0, doing);
    if (!answer) return answer.error();
    return std::move(answer->messages);
}

Result<void> NetlinkSocket::set_room(int bytes) {
    int on = 1;
    if (::mnl_socket_setsockopt(socket_.get(), NETLINK_NO_ENOBUFS, &on, sizeof on) != 0 ||
        ::setsockopt(::mnl_socket_get_fd(socket_.get()), SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
                     sizeof bytes) != 0)
        return error_from_errno("give a netlink socket more room");
    return {};
}

Result<uint16_t> NetlinkSocket::family(const std::string& name) {
    if (const auto known = families_.find(name); known != families_.end()) return known->second;
    auto request = NetlinkRequest::generic(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0);
    request.put_string(CTRL_ATTR_FAMILY_NAME, name);
    auto messages = call(std::move(request), "look up the netlink family " + name);
    if (!messages) return messages.error();
    for (const NetlinkMessage& message : *messages) {
        auto attributes = message.attributes();
        if (!attributes) return attributes.error();
        const auto* id = find_attribute(*attributes, CTRL_ATTR_FAMILY_ID);
        if (id == nullptr || id->payload.size() != sizeof(uint16_t)) continue;
        const auto number = static_cast<uint16_t>(static_cast<unsigned>(id->payload[0]) |
                                                  static_cast<unsigned>(id->payload[1]) << 8);
        families_[name] = number;
        return number;
    }
    return Error{EBADMSG, "the kernel gave no number for the netlink family " + name};
}

}  // namespace zcrxlab
