// IrqVectors: the MSI-X vectors of one function, each an eventfd that the client gave.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/irq.hpp"

namespace zcrxlab::nic::vfio_user {

class IrqVectors : public Irq {
  public:
    // Disarms all and makes vectors 0 to count - 1 exist.
    void set_count(uint16_t count);
    uint16_t count() const { return static_cast<uint16_t>(vectors_.size()); }

    // Arms vectors start, start + 1, ... with these eventfds, replacing older ones. EINVAL, and
    // nothing changed, if there are fewer vectors or one descriptor is no eventfd.
    Result<void> arm(uint32_t start, std::vector<Fd> eventfds);
    // EINVAL if there are fewer vectors.
    Result<void> disarm(uint32_t start, uint32_t count);
    void disarm_all();

    void raise(uint16_t vector) override;

    bool armed(uint16_t vector) const { return vector < vectors_.size() && vectors_[vector]; }
    // Interrupts fired, and those that found no armed vector.
    uint64_t raised() const { return raised_; }
    uint64_t ignored() const { return ignored_; }

  private:
    std::vector<Fd> vectors_;
    uint64_t raised_ = 0;
    uint64_t ignored_ = 0;
};

}  // namespace zcrxlab::nic::vfio_user
