// A packet socket (packet(7)) as an Ethernet port.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

#include "harness/lab/far/ethernet_port.hpp"
#include "harness/lab/far/frame_stream.hpp"

namespace zcrxlab {
namespace {

// Frames come in bursts, and ssh is slower.
constexpr int kReceiveBuffer = 8 << 20;  // bytes

class PacketPort : public EthernetPort {
  public:
    explicit PacketPort(Fd socket) : socket_(std::move(socket)) {}

    int descriptor() const override { return socket_.get(); }

    Result<std::vector<std::byte>> read() override {
        std::vector<std::byte> frame(kLongestFrame);
        iovec place{frame.data(), frame.size()};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(tpacket_auxdata))];
        msghdr message{};
        message.msg_iov = &place;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
        // ENETDOWN: the port went down, and may come up again. EINVAL: segments of a kind that the
        // header has no name for.
        if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN && errno != EINVAL)
            return error_from_errno("receive a frame");
        frame.resize(got > 0 ? static_cast<size_t>(got) : 0);
        if (!frame.empty()) add_tag(message, frame);
        return frame;
    }

    Result<void> write(std::span<const std::byte> frame) override {
        if (::send(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
            return {};
        if (errno == EAGAIN) return Error{EAGAIN, "the port has no room"};
        // ENOBUFS: the port's queue was full, and the frame is gone.
        for (const int lost : {ENOBUFS, ENOMEM, EINVAL, EMSGSIZE, ENETDOWN})
            if (errno == lost) return {};
        return error_from_errno("send a frame");
    }

  private:
    // The kernel takes VLAN tags out of frames before anybody sees them.
    static void add_tag(msghdr& message, std::vector<std::byte>& frame) {
        for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
             part = CMSG_NXTHDR(&message, part)) {
            if (part->cmsg_level != SOL_PACKET || part->cmsg_type != PACKET_AUXDATA) continue;
            tpacket_auxdata told;
            std::memcpy(&told, CMSG_DATA(part), sizeof told);
            if ((told.tp_status & TP_STATUS_VLAN_VALID) == 0) continue;
            const bool named = (told.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0;
            put_tag_back(frame, named ? told.tp_vlan_tpid : ETH_P_8021Q, told.tp_vlan_tci);
        }
    }

    Fd socket_;
};

Result<void> switch_on(const Fd& socket, int option, const char* what) {
    const int on = 1;
    if (::setsockopt(socket.get(), SOL_PACKET, option, &on, sizeof on) != 0)
        return error_from_errno(std::string("ask the packet socket for ") + what);
    return {};
}

}  // namespace

Result<Fd> open_packet_socket() {
    // Of protocol 0 it hears nothing until it is bound.
    Fd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return error_from_errno("open a packet socket");
    return socket;
}

Result<std::unique_ptr<EthernetPort>> packet_port(Fd socket, unsigned ifindex) {
    for (const auto& [option, what] :
         {std::pair{PACKET_VNET_HDR, "segments as they are"},
          std::pair{PACKET_AUXDATA, "VLAN tags"},
          std::pair{PACKET_IGNORE_OUTGOING, "silence about what others send"}})
        if (auto set = switch_on(socket, option, what); !set) return set.error();
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer);
    packet_mreq member{};
    member.mr_ifindex = static_cast<int>(ifindex);
    member.mr_type = PACKET_MR_PROMISC;
    if (::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member, sizeof member) != 0)
        return error_from_errno("listen to all frames of the port");
    sockaddr_ll place{};
    place.sll_family = AF_PACKET;
    place.sll_protocol = htons(ETH_P_ALL);
    place.sll_ifindex = static_cast<int>(ifindex);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
        return error_from_errno("bind to the port");
    return std::unique_ptr<EthernetPort>(std::make_unique<PacketPort>(std::move(socket)));
}

}  // namespace zcrxlab
