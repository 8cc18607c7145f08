// BnxtDevice: one emulated bnxt NIC, between a PCI transport and a cable.
#include "nic/models/bnxt/bnxt_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "nic/models/bnxt/layout/bnxt_registers.hpp"

namespace zcrxlab::nic {

using namespace bnxt;  // NOLINT(google-build-using-namespace): the parts of this device

namespace {

// The ring that a doorbell of this kind is for, whether it is there or not; empty if none can be.
std::string name_of_ring(const Doorbell& doorbell) {
    const auto named = [&](uint16_t first, uint16_t count, const char* name) {
        return doorbell.ring >= first && doorbell.ring < uint32_t{first} + count
                   ? fmt::format("{} {}", name, doorbell.ring - first)
                   : std::string();
    };
    if (!doorbell.path_l2) return {};
    switch (doorbell.type) {
        case DoorbellType::kTransmit:
            return named(kTxRings, kQueueLimit, "transmit ring");
        case DoorbellType::kReceive: {
            const std::string ring = named(kRxRings, kQueueLimit, "receive ring");
            return ring.empty() ? named(kAggregationRings, kQueueLimit, "aggregation ring") : ring;
        }
        case DoorbellType::kCompletions:
        case DoorbellType::kArmCompletions:
            return named(kCompletionRings, kCompletionLimit, "completion ring");
        case DoorbellType::kNotifications:
        case DoorbellType::kMaskNotifications:
        case DoorbellType::kArmNotifications:
            return named(kNotificationRings, kNotificationLimit, "notification queue");
        default:
            return {};
    }
}

}  // namespace

BnxtDevice::BnxtDevice(BnxtConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness)
    : state_(std::move(config), dma, irq, wire, witness),
      commands_(state_),
      hwrm_(
          state_.context, [this](const Request& request) { return commands_.execute(request); },
          [this](uint16_t ring, uint16_t sequence) { command_done(ring, sequence); }) {
    identity_.vendor = identity_.subsystem_vendor = kPciVendor;
    identity_.device = identity_.subsystem = kPciDevice;
    identity_.revision = kPciRevision;
    identity_.class_code = kPciClass;
    identity_.bar_size[kRegisterBar] = kRegisterBarSize;
    identity_.bar_size[kDoorbellBar] = kDoorbellBarSize;
    identity_.bar_size[kMsixBar] = kMsixBarSize;
    for (const unsigned bar : {kRegisterBar, kDoorbellBar, kMsixBar})
        identity_.bar_is_64_bit[bar] = true;
    identity_.express = PciExpressLink{};
    identity_.msix_vectors = kNotificationLimit;
    identity_.msix_bar = kMsixBar;
    identity_.msix_table_offset = kMsixTableOffset;
    identity_.msix_pending_offset = kMsixPendingOffset;
}

void BnxtDevice::bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) {
    std::ranges::fill(out, std::byte{0});
    const Le32 status(dead_ ? kFirmwareDead : kFirmwareHealthy);
    if (bar == kRegisterBar && offset == kFirmwareStatus && out.size() == sizeof(status))
        std::memcpy(out.data(), &status, sizeof(status));
}

void BnxtDevice::bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) {
    if (dead_) return;
    if (bar == kRegisterBar) {
        register_write(offset, bytes);
    } else if (bar == kDoorbellBar) {
        doorbell_write(offset, bytes);
    } else {
        bad_register(bar, offset, bytes.size());
    }
}

void BnxtDevice::register_write(uint64_t offset, std::span<const std::byte> bytes) {
    if (hwrm_.write(offset, bytes)) return;
    if (offset == kRequestTrigger && bytes.size() == sizeof(Le32)) {
        if (bus_master_)
            hwrm_.trigger();
        else
            state_.context.forbid_doorbell(kCommandsName,
                                           "a request came while bus mastering is off");
        return;
    }
    if (offset >= kWindowBases && offset < kWindowBasesEnd) return;
    bad_register(kRegisterBar, offset, bytes.size());
}

void BnxtDevice::doorbell_write(uint64_t offset, std::span<const std::byte> bytes) {
    Le32 half;
    if (offset == kDoorbell && bytes.size() == sizeof(Le64)) {
        Le64 value;
        std::memcpy(&value, bytes.data(), sizeof(value));
        doorbell(Doorbell::from(value));
    } else if (offset == kDoorbell && bytes.size() == sizeof(half)) {
        std::memcpy(&half, bytes.data(), sizeof(half));
        half_doorbell_ = half;
    } else if (offset == kDoorbell + sizeof(half) && bytes.size() == sizeof(half) &&
               half_doorbell_) {
        std::memcpy(&half, bytes.data(), sizeof(half));
        doorbell(Doorbell::from(uint64_t{half} << 32 | *half_doorbell_));
        half_doorbell_.reset();
    } else {
        bad_register(kDoorbellBar, offset, bytes.size());
    }
}

void BnxtDevice::doorbell(const Doorbell& doorbell) {
    bool taken = false;
    if (bus_master_ && doorbell.path_l2) {
        const auto ring = static_cast<uint16_t>(doorbell.ring);
        if (doorbell.ring != ring) {
        } else if (doorbell.type == DoorbellType::kTransmit) {
            taken = state_.tx.doorbell(ring, doorbell.index);
            state_.statistics.publish();
        } else if (doorbell.type == DoorbellType::kReceive) {
            taken = state_.rx.doorbell(ring, doorbell.index);
        } else {
            taken = state_.completions.doorbell(doorbell, state_.rx.any());
        }
    }
    if (taken) return;
    const std::string ring = bus_master_ ? name_of_ring(doorbell) : std::string();
    if (ring.empty())
        state_.context.forbid_doorbell(
            "", fmt::format("the doorbell was rung with {:#x}, {}", doorbell.value(),
                            bus_master_ ? "and nothing that is there has it"
                                        : "while bus mastering is off"));
    else
        state_.context.forbid_doorbell(ring, "its doorbell was rung, and it is not there");
}

void BnxtDevice::command_done(uint16_t ring, uint16_t sequence) {
    if (state_.completions.room(ring) == 0) {
        state_.context.forbid({.kind = ForbiddenKind::kCommand,
                               .queue = kCommandsName,
                               .what = fmt::format("an answer is to be told by ring {:#x}, which "
                                                   "is no completion ring or is full",
                                                   ring)});
        return;
    }
    Entry entry =
        entry_of(CommandDone{CommandDone::kType, sequence, uint32_t{0}, uint32_t{0}, uint32_t{0}});
    state_.completions.complete(ring, std::span(&entry, 1));
    state_.completions.tell();
}

void BnxtDevice::bad_register(unsigned bar, uint64_t offset, size_t size) {
    ++state_.context.counters.bad_registers;
    state_.context.forbid({.kind = ForbiddenKind::kRegister,
                           .what = fmt::format("{} bytes written at offset {:#x} of BAR {} are no "
                                               "register or doorbell that can be written so",
                                               size, offset, bar)});
}

bool BnxtDevice::has_work() const {
    return bus_master_ && state_.tx.has_work();
}

void BnxtDevice::work() {
    if (!bus_master_) return;
    state_.tx.work();
    state_.statistics.publish();
}

void BnxtDevice::reset() {
    ++state_.context.counters.resets;
    forget();
    dead_ = false;
}

void BnxtDevice::forget() {
    state_.reset();
    hwrm_.reset();
    half_doorbell_.reset();
    bus_master_ = false;
}

// bnxt_fw_fatal_close() switches it off, and bnxt_fw_reset_task() on again when the firmware may be
// back.
void BnxtDevice::set_bus_master(bool on) {
    if (!on && std::exchange(dead_, false)) ++state_.context.counters.resets;
    bus_master_ = on && !dead_;
}

Accepted BnxtDevice::deliver(const Delivery& delivery) {
    if (bus_master_ && state_.context.link_up && state_.vnics.default_vnic() != nullptr)
        return state_.rx.deliver(delivery);
    ++state_.context.counters.rx_not_running;
    return Accepted::kNotRunning;
}

void BnxtDevice::end_of_burst() {
    if (!bus_master_) return;
    state_.statistics.publish();
    state_.completions.tell();
}

void BnxtDevice::set_link(bool up) {
    if (state_.context.link_up == up) return;
    state_.context.link_up = up;
    if (bus_master_) state_.link_changed();
}

void BnxtDevice::request_reset() {
    if (!bus_master_ || !state_.ask_for_reset())
        state_.context.log("A reset was asked for, and the driver has no queue for events");
}

bool BnxtDevice::die() {
    if (!bus_master_ || !state_.tell_of_death()) return false;
    state_.completions.tell();
    forget();
    dead_ = true;
    state_.reset_stage = ResetStage::kDone;
    return true;
}

std::vector<std::pair<std::string, uint64_t>> BnxtDevice::counters() const {
    auto list = state_.context.counters.list();
    list.emplace_back("command_faults", state_.context.command_faults.hits());
    for (auto& counter : commands_.counters()) list.push_back(std::move(counter));
    for (uint16_t i = 0; i < kQueueLimit; ++i) {
        const std::string queue = "rx" + std::to_string(i);
        // Payload lies in aggregation buffers where there are any; and no packet comes without a
        // receive buffer.
        const uint32_t receive = state_.rx.posted(i);
        const uint32_t aggregation = state_.rx.posted_aggregation(i);
        if (receive != 0) list.emplace_back(queue + "_receive_posted", receive);
        const bool has_aggregation = state_.rx.has_aggregation(i);
        if (has_aggregation || receive != 0)
            list.emplace_back(queue + "_posted",
                              has_aggregation && receive != 0 ? aggregation : receive);
    }
    return list;
}

}  // namespace zcrxlab::nic
