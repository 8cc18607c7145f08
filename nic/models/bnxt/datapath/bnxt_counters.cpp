// Counters of one bnxt NIC: their names, and how frames are counted by size.
#include "nic/models/bnxt/datapath/bnxt_counters.hpp"

#include <algorithm>

namespace zcrxlab::nic::bnxt {
namespace {

template <typename T>
struct CounterName {
    const char* name;
    uint64_t T::*value;
};

constexpr CounterName<TxCounters> kTxNames[] = {
    {"packets", &TxCounters::packets},         {"bytes", &TxCounters::bytes},
    {"tso_packets", &TxCounters::tso_packets}, {"checksums", &TxCounters::checksums},
    {"completions", &TxCounters::completions}, {"malformed", &TxCounters::malformed},
    {"bad_address", &TxCounters::bad_address}, {"link_down", &TxCounters::link_down},
};

constexpr CounterName<RxCounters> kRxNames[] = {
    {"packets", &RxCounters::packets},
    {"bytes", &RxCounters::bytes},
    {"split", &RxCounters::split},
    {"header_overflow", &RxCounters::header_overflow},
    {"tags", &RxCounters::tags},
    {"rsc", &RxCounters::rsc},
    {"unfinished", &RxCounters::unfinished},
    {"aggregation", &RxCounters::aggregation},
    {"no_buffer", &RxCounters::no_buffer},
    {"too_long", &RxCounters::too_long},
    {"bad_checksum", &RxCounters::bad_checksum},
    {"bad_address", &RxCounters::bad_address},
    {"lost_interrupts", &RxCounters::lost_interrupts},
    {"buffer_errors", &RxCounters::buffer_errors},
    {"overtaken", &RxCounters::overtaken},
};

constexpr CounterName<Counters> kDeviceNames[] = {
    {"rx_queue_off", &Counters::rx_queue_off},
    {"rx_no_vnic", &Counters::rx_no_vnic},
    {"rx_above_mru", &Counters::rx_above_mru},
    {"rx_not_running", &Counters::rx_not_running},
    {"interrupts", &Counters::interrupts},
    {"notifications", &Counters::notifications},
    {"commands", &Counters::commands},
    {"commands_refused", &Counters::commands_refused},
    {"commands_unread", &Counters::commands_unread},
    {"bad_registers", &Counters::bad_registers},
    {"bad_rings", &Counters::bad_rings},
    {"resets", &Counters::resets},
    {"events", &Counters::events},
};

constexpr size_t kCheckSequence = 4;
constexpr size_t kTypeAt = 12;  // behind two addresses

// EtherType 0x8808, IEEE 802.3 annex 31.
bool is_mac_control(std::span<const std::byte> frame) {
    return frame.size() >= kTypeAt + 2 && frame[kTypeAt] == std::byte{0x88} &&
           frame[kTypeAt + 1] == std::byte{0x08};
}

}  // namespace

void PortFrames::count(std::span<const std::byte> frame) {
    count(frame.size(), 1);
    if (is_mac_control(frame)) ++control;
}

void PortFrames::count_cut(std::span<const std::byte> frame, size_t headers, size_t mss) {
    const size_t payload = frame.size() - std::min(headers, frame.size());
    if (mss == 0 || payload == 0) return count(frame);
    count(headers + mss, payload / mss);
    if (payload % mss != 0) count(headers + payload % mss, 1);
}

void PortFrames::count(size_t size, uint64_t frames) {
    const auto* const longest = std::ranges::lower_bound(kFrameSizes, size + kCheckSequence);
    if (longest != kFrameSizes.end()) by_size[longest - kFrameSizes.begin()] += frames;
}

std::vector<std::pair<std::string, uint64_t>> Counters::list() const {
    std::vector<std::pair<std::string, uint64_t>> out;
    const auto rings = [&](const std::string& prefix, const auto& names, const auto& counters) {
        for (const auto& name : names) {
            uint64_t sum = 0;
            for (const auto& ring : counters) sum += ring.*name.value;
            out.emplace_back(prefix + "_" + name.name, sum);
        }
        for (size_t i = 0; i < counters.size(); ++i)
            for (const auto& name : names)
                if (const uint64_t value = counters[i].*name.value; value != 0)
                    out.emplace_back(prefix + std::to_string(i) + "_" + name.name, value);
    };
    rings("rx", kRxNames, rx);
    rings("tx", kTxNames, tx);
    for (const auto& name : kDeviceNames) out.emplace_back(name.name, this->*name.value);
    return out;
}

}  // namespace zcrxlab::nic::bnxt
