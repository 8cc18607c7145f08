// GveContext: what the parts of one gve NIC share: its neighbours, its counters, and its health.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nic/command_faults.hpp"
#include "nic/dma.hpp"
#include "nic/forbidden.hpp"
#include "nic/models/gve/gve_config.hpp"
#include "nic/models/gve/gve_counters.hpp"
#include "nic/models/gve/gve_notify.hpp"
#include "nic/mutation.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::gve {

enum class Access : uint8_t { kRead, kWrite };

// As people name them.
std::string tx_name(uint16_t id);
std::string rx_name(uint16_t id);
inline constexpr const char* kAdminName = "admin queue";

struct GveContext {
    GveContext(GveConfig with, Dma& to_memory, Irq& to_irq, WirePort& to_wire,
               DmaWitness& to_witness)
        : config(std::move(with)),
          dma(to_memory),
          wire(to_wire),
          witness(to_witness),
          notify(to_irq, counters),
          mutation(config.mutation) {}
    GveContext(const GveContext&) = delete;
    GveContext& operator=(const GveContext&) = delete;

    void log(std::string_view sentence) const {
        if (config.log) config.log(sentence);
    }
    // The driver asked for what it must not.
    void forbid(Forbidden asked) const {
        if (config.forbidden) config.forbidden(std::move(asked));
    }
    // The same of `size` bytes that Dma has refused to read or write: `of` says what they are.
    void forbid_dma(std::string queue, std::optional<uint32_t> descriptor, std::string_view of,
                    uint64_t address, uint64_t size, Access access) const;
    // A ring that is no memory, which the device cannot go on with.
    void broken(const std::string& sentence) {
        ++counters.bad_rings;
        needs_reset = true;
        log(sentence);
    }

    const GveConfig config;
    Dma& dma;
    WirePort& wire;
    DmaWitness& witness;
    Counters counters;
    CommandFaults command_faults;
    NotifyBlocks notify;
    ActiveMutation mutation;
    bool link_up = true;
    bool needs_reset = false;    // the device shall report itself broken
    uint64_t counter_array = 0;  // guest address of the event counters; 0 = none
};

}  // namespace zcrxlab::nic::gve
