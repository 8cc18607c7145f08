// PhysicalWitness: tells the DMA log which page of the guest was written, where a model knows bus
// addresses only.
#pragma once

#include "harness/trace/dma_log.hpp"
#include "nic/dma.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic {

// Stands between a model and the log, as the model's Dma stands between it and the guest's memory.
class PhysicalWitness : public DmaWitness {
  public:
    // Both must outlive it.
    PhysicalWitness(DmaWitness& log, const Dma& dma) : log_(log), dma_(dma) {}

    void wrote(Kind kind, uint64_t address, uint32_t length, const Delivery& delivery,
               uint32_t stream_offset, uint32_t posted) override {
        log_.wrote(kind, dma_.physical(address, length).value_or(kAddressUnknown), length, delivery,
                   stream_offset, posted);
    }
    uint32_t microseconds() const override { return log_.microseconds(); }

  private:
    DmaWitness& log_;
    const Dma& dma_;
};

}  // namespace zcrxlab::nic
