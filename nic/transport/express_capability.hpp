// The PCI Express capability of an endpoint, as it lies in configuration space.
//
// PCI Express Base Specification 5.0, 7.5.3; names as in <linux/pci_regs.h> (PCI_EXP_*).
#pragma once

#include <linux/pci_regs.h>

#include <cstddef>
#include <cstdint>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::vfio_user {

struct __attribute__((packed)) ExpressCapability {
    uint8_t id;
    uint8_t next;
    Le16 flags;
    Le32 device_capabilities;
    Le16 device_control;
    Le16 device_status;
    Le32 link_capabilities;
    Le16 link_control;
    Le16 link_status;
    uint8_t slot_and_root[16];  // not of an endpoint
    Le32 device_capabilities_2;
    Le16 device_control_2;
    Le16 device_status_2;
    Le32 link_capabilities_2;
    Le16 link_control_2;
    Le16 link_status_2;
    uint8_t slot_2[8];  // not of an endpoint
};
static_assert(sizeof(ExpressCapability) == 0x3c);
static_assert(offsetof(ExpressCapability, flags) == PCI_EXP_FLAGS);
static_assert(offsetof(ExpressCapability, device_capabilities) == PCI_EXP_DEVCAP);
static_assert(offsetof(ExpressCapability, device_control) == PCI_EXP_DEVCTL);
static_assert(offsetof(ExpressCapability, device_status) == PCI_EXP_DEVSTA);
static_assert(offsetof(ExpressCapability, link_capabilities) == PCI_EXP_LNKCAP);
static_assert(offsetof(ExpressCapability, link_control) == PCI_EXP_LNKCTL);
static_assert(offsetof(ExpressCapability, link_status) == PCI_EXP_LNKSTA);
static_assert(offsetof(ExpressCapability, device_capabilities_2) == PCI_EXP_DEVCAP2);
static_assert(offsetof(ExpressCapability, device_control_2) == PCI_EXP_DEVCTL2);
static_assert(offsetof(ExpressCapability, device_status_2) == PCI_EXP_DEVSTA2);
static_assert(offsetof(ExpressCapability, link_capabilities_2) == PCI_EXP_LNKCAP2);
static_assert(offsetof(ExpressCapability, link_control_2) == PCI_EXP_LNKCTL2);
static_assert(offsetof(ExpressCapability, link_status_2) == PCI_EXP_LNKSTA2);

}  // namespace zcrxlab::nic::vfio_user
