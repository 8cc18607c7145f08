// FakeIrq: remembers which vectors were raised.
#pragma once

#include <vector>

#include "nic/irq.hpp"

namespace zcrxlab::nic {

class FakeIrq : public Irq {
  public:
    void raise(uint16_t vector) override { raised.push_back(vector); }

    std::vector<uint16_t> raised;
};

}  // namespace zcrxlab::nic
