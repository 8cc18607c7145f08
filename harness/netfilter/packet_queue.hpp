// PacketQueue: packets that wait for a verdict of this program (nftables, NFQUEUE).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {

struct PacketQueuePlan {
    uint16_t port = 0;       // the destination of the packets
    bool payload = false;    // ask for each packet, as long as it is, beside what is told of it
    bool coalesced = false;  // take coalesced packets as they are; else the kernel cuts them
};

struct QueuedPacket {
    std::vector<std::byte> bytes;  // of the IPv4 packet, as many as were shown
    uint32_t length = 0;           // bytes that it has where it has more than these; else 0
    bool coalesced = false;
};

// From open() on, each packet waits until a thread of this object has taken it, and is accepted.
class PacketQueue {
  public:
    // EOPNOTSUPP where the kernel has not the modules for it; its sentence names the one.
    static Result<std::unique_ptr<PacketQueue>> open(const PacketQueuePlan& plan);
    PacketQueue(const PacketQueue&) = delete;
    PacketQueue& operator=(const PacketQueue&) = delete;
    // Packets pass by again. The rule goes with its socket, also where the process is killed.
    ~PacketQueue();

    // Those that were accepted until now.
    std::vector<QueuedPacket> packets();
    // Why it accepts no more.
    std::optional<Error> error();

  private:
    PacketQueue(NetlinkSocket rule, NetlinkSocket packets);
    void run();
    Result<void> accept(const NetlinkMessage& message);

    std::optional<NetlinkSocket> rule_;  // the socket that the table belongs to
    NetlinkSocket socket_;
    std::atomic<bool> stopping_{false};
    std::mutex mutex_;  // of what follows
    std::vector<QueuedPacket> packets_;
    std::optional<Error> error_;
    std::thread thread_;
};

}  // namespace zcrxlab
