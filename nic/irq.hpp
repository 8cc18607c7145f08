// Irq: a device's interrupt vectors. Implemented by the transport, faked in unit tests.
#pragma once

#include <cstdint>

namespace zcrxlab::nic {

class Irq {
  public:
    virtual ~Irq() = default;
    // Fires MSI-X vector `vector`. A vector that is unknown or not armed by the guest is ignored.
    virtual void raise(uint16_t vector) = 0;
};

}  // namespace zcrxlab::nic
