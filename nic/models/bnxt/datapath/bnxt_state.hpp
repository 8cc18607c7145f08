// BnxtState: everything that the driver sets up by commands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "nic/models/bnxt/datapath/bnxt_completions.hpp"
#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/datapath/bnxt_rules.hpp"
#include "nic/models/bnxt/datapath/bnxt_rx.hpp"
#include "nic/models/bnxt/datapath/bnxt_statistics.hpp"
#include "nic/models/bnxt/datapath/bnxt_tx.hpp"
#include "nic/models/bnxt/datapath/bnxt_vnics.hpp"

namespace zcrxlab::nic::bnxt {

// What the driver has reserved of each kind. The model has as many as its limits say, reserved or
// not: the numbers are kept for the driver, which compares them.
struct Reserved {
    uint16_t tx_rings = 0;
    uint16_t rx_rings = 0;  // aggregation rings included
    uint16_t completion_rings = 0;
    uint16_t vectors = 0;
    uint16_t stat_contexts = 0;
    uint16_t vnics = 0;
    uint16_t rss_contexts = 0;
};

// Numbers that are given out and taken back, of things that the model has no more to say about.
template <uint16_t kCount>
class Numbers {
  public:
    // Nothing if all are given out.
    std::optional<uint16_t> take() {
        for (uint16_t i = 0; i < kCount; ++i)
            if (!taken_[i]) {
                taken_[i] = true;
                return i;
            }
        return {};
    }
    bool taken(uint64_t number) const { return number < kCount && taken_[number]; }
    // False if it was not given out.
    bool give_back(uint64_t number) {
        return number < kCount && std::exchange(taken_[number], false);
    }
    void clear() { taken_.fill(false); }

  private:
    std::array<bool, kCount> taken_{};
};

// How far a reset is that the driver was asked for.
enum class ResetStage : uint8_t {
    kNone,
    kAsked,
    kDone,  // and the driver does not know it yet
};

struct BnxtState {
    BnxtState(BnxtConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness);

    // Back to power-on: no ring, no VNIC. The wire delivers nothing any more.
    void reset();
    // Tells the driver, if it has said where, that the link has changed.
    void link_changed();
    // Asks the driver for a reset; false if it has not said where.
    bool ask_for_reset();
    // Tells the driver that the firmware has died; false if it has not said where.
    bool tell_of_death();

    BnxtContext context;
    Completions completions{context};
    Rules rules;
    Vnics vnics{context, rules};
    Statistics statistics{context};
    TxRings tx{context, completions, statistics};
    RxRings rx{context, completions, vnics, statistics};
    Reserved reserved;
    Numbers<kRssContextLimit> rss_contexts;
    Numbers<kL2FilterLimit> l2_filters;
    uint16_t event_ring = kNoRing;  // notification queue for what nobody asked
    ResetStage reset_stage = ResetStage::kNone;

  private:
    bool notify_of_reset(uint32_t why);
};

}  // namespace zcrxlab::nic::bnxt
