// BnxtContext: what the parts of one bnxt NIC share: its neighbours, its counters, its link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nic/command_faults.hpp"
#include "nic/dma.hpp"
#include "nic/forbidden.hpp"
#include "nic/irq.hpp"
#include "nic/models/bnxt/datapath/bnxt_config.hpp"
#include "nic/models/bnxt/datapath/bnxt_counters.hpp"
#include "nic/mutation.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::bnxt {

enum class Access : uint8_t { kRead, kWrite };

inline constexpr const char* kCommandsName = "HWRM";

struct BnxtContext {
    BnxtContext(BnxtConfig with, Dma& to_memory, Irq& to_irq, WirePort& to_wire,
                DmaWitness& to_witness)
        : config(std::move(with)),
          dma(to_memory),
          irq(to_irq),
          wire(to_wire),
          witness(to_witness),
          mutation(config.mutation) {}
    BnxtContext(const BnxtContext&) = delete;
    BnxtContext& operator=(const BnxtContext&) = delete;

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
    // The same of a doorbell.
    void forbid_doorbell(std::string queue, std::string what);

    const BnxtConfig config;
    Dma& dma;
    Irq& irq;
    WirePort& wire;
    DmaWitness& witness;
    ActiveMutation mutation;
    Counters counters;
    CommandFaults command_faults;
    bool link_up = true;
};

}  // namespace zcrxlab::nic::bnxt
