// NicDevice: a NIC model with both of its sides: what a guest sees, and what is plugged into the
// cable.
#pragma once

#include "nic/pci_device.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic {

class NicDevice : public PciDevice, public WireDevice {};

}  // namespace zcrxlab::nic
