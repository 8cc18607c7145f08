// Counters of one gve NIC: their names.
#include "nic/models/gve/gve_counters.hpp"

namespace zcrxlab::nic::gve {
namespace {

template <typename T>
struct Named {
    const char* name;
    uint64_t T::*value;
};

constexpr Named<TxCounters> kTx[] = {
    {"packets", &TxCounters::packets},
    {"bytes", &TxCounters::bytes},
    {"tso_packets", &TxCounters::tso_packets},
    {"checksums", &TxCounters::checksums},
    {"completions", &TxCounters::completions},
    {"malformed", &TxCounters::malformed},
    {"too_long", &TxCounters::too_long},
    {"bad_address", &TxCounters::bad_address},
    {"no_end", &TxCounters::no_end},
    {"link_down", &TxCounters::link_down},
    {"completion_lost", &TxCounters::completion_lost},
};

constexpr Named<RxCounters> kRx[] = {
    {"packets", &RxCounters::packets},
    {"bytes", &RxCounters::bytes},
    {"buffers", &RxCounters::buffers},
    {"split", &RxCounters::split},
    {"rsc", &RxCounters::rsc},
    {"no_buffer", &RxCounters::no_buffer},
    {"too_long", &RxCounters::too_long},
    {"header_overflow", &RxCounters::header_overflow},
    {"bad_checksum", &RxCounters::bad_checksum},
    {"bad_address", &RxCounters::bad_address},
    {"lost_interrupts", &RxCounters::lost_interrupts},
    {"seen_in_part", &RxCounters::seen_in_part},
    {"empty_buffers", &RxCounters::empty_buffers},
    {"buffer_errors", &RxCounters::buffer_errors},
    {"overtaken", &RxCounters::overtaken},
};

constexpr Named<Counters> kDevice[] = {
    {"rx_queue_off", &Counters::rx_queue_off},
    {"rx_not_running", &Counters::rx_not_running},
    {"interrupts", &Counters::interrupts},
    {"interrupts_held", &Counters::interrupts_held},
    {"admin_commands", &Counters::admin_commands},
    {"admin_refused", &Counters::admin_refused},
    {"bad_registers", &Counters::bad_registers},
    {"bad_rings", &Counters::bad_rings},
    {"resets", &Counters::resets},
    {"reset_requests", &Counters::reset_requests},
};

}  // namespace

std::vector<std::pair<std::string, uint64_t>> Counters::list(uint16_t tx_queues,
                                                             uint16_t rx_queues) const {
    std::vector<std::pair<std::string, uint64_t>> out;
    auto totals = [&](const std::string& prefix, const auto& names, const auto& queues) {
        for (const auto& named : names) {
            uint64_t sum = 0;
            for (const auto& queue : queues) sum += queue.*named.value;
            out.emplace_back(prefix + named.name, sum);
        }
    };
    auto single = [&](const std::string& prefix, const auto& names, const auto& queues,
                      uint16_t count) {
        for (uint16_t i = 0; i < count && i < queues.size(); ++i)
            for (const auto& named : names)
                out.emplace_back(prefix + std::to_string(i) + "_" + named.name,
                                 queues[i].*named.value);
    };
    totals("rx_", kRx, rx);
    totals("tx_", kTx, tx);
    for (const auto& named : kDevice) out.emplace_back(named.name, this->*named.value);
    single("rx", kRx, rx, rx_queues);
    single("tx", kTx, tx, tx_queues);
    return out;
}

}  // namespace zcrxlab::nic::gve
