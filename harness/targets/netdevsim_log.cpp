// Reads the log, numbers the flows it speaks of, and translates its entries.
#include "harness/targets/netdevsim_log.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

namespace zcrxlab {
namespace {

// 11 MiB of the guest's memory.
constexpr uint32_t kEntries = 1U << 17;
constexpr size_t kWritesAtOnce = 4096;
constexpr uint8_t kSyn = 0x02;

}  // namespace

Result<NetdevsimLog> NetdevsimLog::open(const std::string& folder) {
    const std::string size_file = folder + "/dma_log_size";
    uint64_t size = 0;
    std::ifstream(size_file) >> size;
    if (size == 0 && !(std::ofstream(size_file) << kEntries << std::flush))
        return Error{ENOTSUP, "the driver of this netdevsim has no " + size_file};
    NetdevsimLog log;
    log.name_ = folder + "/dma_log";
    log.file_ = Fd(::open(log.name_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!log.file_) return error_from_errno("open " + log.name_);
    const off_t end = ::lseek(log.file_.get(), 0, SEEK_END);
    if (end < 0) return error_from_errno("find the end of " + log.name_);
    log.last_ = static_cast<uint64_t>(end) / sizeof(NetdevsimWrite);
    return log;
}

// As on the emulated NIC: a new SYN makes a new flow.
const DmaLogFlow* NetdevsimLog::flow_of(const NetdevsimWrite& write) {
    if (write.protocol != IPPROTO_TCP || write.payload == 0) return nullptr;
    Tuple tuple;
    std::memcpy(std::get<0>(tuple).data(), write.source, 16);
    std::memcpy(std::get<1>(tuple).data(), write.destination, 16);
    std::get<2>(tuple) = write.source_port;
    std::get<3>(tuple) = write.destination_port;
    std::get<4>(tuple) = write.family;
    const bool syn = (write.tcp_flags & kSyn) != 0;
    const auto known = flows_.find(tuple);
    const bool another =
        known == flows_.end() || (syn && (known->second.has_syn == 0 ||
                                          known->second.initial_sequence != write.tcp_sequence));
    if (!another) return &known->second;
    DmaLogFlow flow{};
    // The same for every reader of the log from there on.
    flow.flow = static_cast<uint32_t>(write.sequence);
    flow.initial_sequence = syn ? write.tcp_sequence : 0;
    flow.has_syn = syn ? 1 : 0;
    std::memcpy(flow.source, write.source, 16);
    std::memcpy(flow.destination, write.destination, 16);
    flow.source_port = write.source_port;
    flow.destination_port = write.destination_port;
    flow.family = write.family;
    return &flows_.insert_or_assign(tuple, flow).first->second;
}

Result<void> NetdevsimLog::add(std::span<const NetdevsimWrite> writes, DmaWrites& all) {
    std::map<uint32_t, DmaLogFlow> named;
    for (const NetdevsimWrite& write : writes) {
        if (write.sequence <= last_ || write.kind < 1 || write.kind > 3) {
            return Error{EPROTO, "entry " + std::to_string(write.sequence) + " of kind " +
                                     std::to_string(write.kind) + " follows entry " +
                                     std::to_string(last_) + " in the log of a netdevsim"};
        }
        all.lost += write.sequence - last_ - 1;
        last_ = write.sequence;
        DmaLogEntry entry{};
        entry.sequence = write.sequence;
        entry.address = write.address;
        entry.packet = write.packet;
        entry.length = write.length;
        const DmaLogFlow* flow = flow_of(write);
        if (flow != nullptr && !named.contains(flow->flow)) named.emplace(flow->flow, *flow);
        entry.flow = flow != nullptr ? flow->flow.get() : 0;
        entry.fault = write.rule;
        entry.queue = write.queue;
        entry.kind = static_cast<DmaKind>(write.kind);
        const bool payload = entry.kind != DmaKind::kHeader && flow != nullptr;
        // Only the first buffer of an unsplit packet begins with headers.
        const uint32_t headers = write.payload > write.offset ? write.payload - write.offset : 0;
        if (entry.kind == DmaKind::kUnsplit) entry.payload_offset = headers;
        if (payload) {
            const uint32_t syn = (write.tcp_flags & kSyn) != 0 ? 1 : 0;
            entry.tcp_sequence =
                write.tcp_sequence + syn + (headers != 0 ? 0 : write.offset - write.payload);
        }
        all.entries.push_back(entry);
    }
    for (const auto& [number, flow] : named) all.flows.push_back(flow);
    return {};
}

Result<DmaWrites> NetdevsimLog::take() {
    DmaWrites all;
    std::vector<NetdevsimWrite> writes(kWritesAtOnce);
    bool reopened = false;
    for (;;) {
        // The files of a driver go with it, and the next one makes others.
        if (!file_) file_ = Fd(::open(name_.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file_) return all;
        const auto at = static_cast<off_t>(last_ * sizeof(NetdevsimWrite));
        const ssize_t got =
            ::pread(file_.get(), writes.data(), writes.size() * sizeof(NetdevsimWrite), at);
        if (got < 0 && errno == EIO && !std::exchange(reopened, true)) {
            file_.reset();
            continue;
        }
        if (got < 0) return error_from_errno("read the log of a netdevsim");
        if (got == 0) return all;
        const size_t count = static_cast<size_t>(got) / sizeof(NetdevsimWrite);
        if (count == 0) return Error{EPROTO, "the log of a netdevsim ends within an entry"};
        if (auto added = add(std::span(writes).first(count), all); !added) return added.error();
    }
}

}  // namespace zcrxlab
