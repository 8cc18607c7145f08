// NetdevsimLog: the log of writes that our netdevsim keeps, as entries and flows of a DMA log.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// struct nsim_dma_log_entry of dma_log.c (kernel-config/netdevsim), in the byte order of this
// machine but for the ports.
struct NetdevsimWrite {
    uint64_t sequence;
    uint64_t address;
    uint64_t packet;
    uint32_t length;
    uint32_t offset;   // of the first byte written, in the frame
    uint32_t payload;  // where the payload begins in the frame; 0: neither TCP nor UDP
    uint32_t tcp_sequence;
    uint32_t rule;
    uint16_t queue;
    uint8_t kind;    // DmaKind
    uint8_t family;  // 4, 6 or 0
    uint8_t protocol;
    uint8_t tcp_flags;
    Be16 source_port;
    Be16 destination_port;
    uint8_t reserved[2];
    uint8_t source[16];
    uint8_t destination[16];
};
static_assert(sizeof(NetdevsimWrite) == 88);
static_assert(offsetof(NetdevsimWrite, queue) == 44);
static_assert(offsetof(NetdevsimWrite, source) == 56);

class NetdevsimLog {
  public:
    // Opens `folder`/dma_log, with a ring of so many entries if there is none. What was written
    // before belongs to nobody here.
    static Result<NetdevsimLog> open(const std::string& folder);

    // Entries since the last call, with the flows they belong to. The log outlives its driver, but
    // while none is bound there is nothing to be read.
    Result<DmaWrites> take();

    // The same for bytes of that file; for tests. EPROTO for what is no such log.
    Result<void> add(std::span<const NetdevsimWrite> writes, DmaWrites& all);

  private:
    // Addresses, ports, family.
    using Tuple =
        std::tuple<std::array<uint8_t, 16>, std::array<uint8_t, 16>, uint16_t, uint16_t, uint8_t>;

    // Null for what is no TCP.
    const DmaLogFlow* flow_of(const NetdevsimWrite& write);

    std::string name_;
    Fd file_;
    uint64_t last_ = 0;  // sequence number of the newest entry that was taken
    std::map<Tuple, DmaLogFlow> flows_;
};

}  // namespace zcrxlab
