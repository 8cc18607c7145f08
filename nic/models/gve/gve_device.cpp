// GveDevice: one emulated gve NIC in DQO RDA format, between a PCI transport and a cable.
#include "nic/models/gve/gve_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "nic/models/gve/gve_registers.hpp"

namespace zcrxlab::nic {

using namespace gve;  // NOLINT(google-build-using-namespace): the parts of this device

GveDevice::GveDevice(GveConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness)
    : state_(std::move(config), dma, irq, wire, witness), admin_(state_) {
    const GveConfig& used = state_.context.config;
    identity_.vendor = kPciVendor;
    identity_.device = kPciDevice;
    identity_.revision = kPciRevision;
    identity_.class_code = kPciClass;
    identity_.subsystem_vendor = kPciVendor;
    identity_.subsystem = kPciDevice;
    identity_.bar_size[kRegisterBar] = kBarSize;
    identity_.bar_size[kMsixBar] = kBarSize;
    identity_.bar_size[kDoorbellBar] = kBarSize;
    // The driver halves the vectors between transmit and receive.
    identity_.msix_vectors =
        static_cast<uint16_t>(2 * std::max(used.max_tx_queues, used.max_rx_queues) + 1);
    identity_.msix_bar = kMsixBar;
    identity_.msix_table_offset = kMsixTableOffset;
    identity_.msix_pending_offset = kMsixPendingOffset;
}

void GveDevice::bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) {
    std::fill(out.begin(), out.end(), std::byte{0});
    if (bar != kRegisterBar || offset >= sizeof(Registers)) return;
    Registers registers{};
    uint32_t status = 0;
    if (reset_requested_) status |= kStatusResetRequested;
    if (state_.context.link_up) status |= kStatusLinkUp;
    if (is_reset_) status |= kStatusIsReset;
    registers.device_status = status;
    registers.driver_status = driver_status_;
    registers.max_tx_queues = state_.context.config.max_tx_queues;
    registers.max_rx_queues = state_.context.config.max_rx_queues;
    registers.adminq_event_counter = admin_.event_counter();
    registers.adminq_base_high = static_cast<uint32_t>(adminq_base_ >> 32);
    registers.adminq_base_low = static_cast<uint32_t>(adminq_base_);
    registers.adminq_length = static_cast<uint16_t>(adminq_length_);
    auto bytes = std::as_bytes(std::span(&registers, 1)).subspan(offset);
    std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
}

void GveDevice::bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) {
    if (bar == kDoorbellBar && bytes.size() == sizeof(Le32) && offset % sizeof(Le32) == 0) {
        Le32 value;
        std::memcpy(&value, bytes.data(), sizeof(value));
        doorbell(offset / sizeof(Le32), value);
    } else if (bar == kRegisterBar) {
        register_write(offset, bytes);
    } else {
        bad_register(bar, offset, bytes.size());
    }
    settle();
}

void GveDevice::register_write(uint64_t offset, std::span<const std::byte> bytes) {
    // A register is written whole or not at all; the key says which, and how wide it is.
    auto is = [&](size_t at, size_t size) { return offset == at && bytes.size() == size; };
    uint64_t value = 0;
    for (std::byte byte : bytes) value = value << 8 | std::to_integer<uint64_t>(byte);
    if (is(offsetof(Registers, driver_status), 4)) {
        driver_status_write(static_cast<uint32_t>(value));
    } else if (is(offsetof(Registers, adminq_doorbell), 4)) {
        if (bus_master_)
            admin_.doorbell(static_cast<uint32_t>(value));
        else
            bad_doorbell(kAdminName, "its doorbell was rung while bus mastering is off");
    } else if (is(offsetof(Registers, driver_version), 1)) {
        driver_version_write(static_cast<char>(value));
    } else if (is(offsetof(Registers, adminq_base_high), 4)) {
        adminq_base_ = (adminq_base_ & 0xffffffff) | value << 32;
    } else if (is(offsetof(Registers, adminq_base_low), 4)) {
        adminq_base_ = (adminq_base_ & ~uint64_t{0xffffffff}) | value;
    } else if (is(offsetof(Registers, adminq_length), 2)) {
        adminq_length_ = static_cast<uint32_t>(value);
    } else {
        bad_register(kRegisterBar, offset, bytes.size());
    }
}

void GveDevice::bad_register(unsigned bar, uint64_t offset, size_t size) {
    ++state_.context.counters.bad_registers;
    state_.context.forbid({.kind = ForbiddenKind::kRegister,
                           .what = fmt::format("{} bytes written at offset {:#x} of BAR {} are no "
                                               "register or doorbell that can be written so",
                                               size, offset, bar)});
}

void GveDevice::driver_waits(uint16_t block) {
    for (RxQueue& queue : state_.rx)
        if (queue.live() && queue.setup().block == block && queue.driver_waits())
            state_.context.notify.event(block);
    settle();
}

void GveDevice::bad_doorbell(std::string queue, std::string what) {
    ++state_.context.counters.bad_registers;
    state_.context.forbid(
        {.kind = ForbiddenKind::kDoorbell, .queue = std::move(queue), .what = std::move(what)});
}

void GveDevice::driver_status_write(uint32_t value) {
    driver_status_ = value;
    if ((value & kDriverReset) != 0) {
        ++state_.context.counters.resets;
        stop_everything();
        is_reset_ = true;
    } else if ((value & kDriverRun) != 0) {
        // A driver that starts where another one died (kexec) has freed nothing: queues that it
        // does not know of must not be served any more.
        stop_everything();
        is_reset_ = false;
        admin_.start(adminq_base_, adminq_length_);
    }
}

void GveDevice::driver_version_write(char letter) {
    constexpr size_t kLongest = 64;
    if (version_complete_) driver_version_.clear();
    version_complete_ = letter == '\n';
    if (version_complete_) {
        state_.context.log("driver " + driver_version_);
    } else if (letter > ' ' && letter <= '~' && driver_version_.size() < kLongest) {
        driver_version_ += letter;
    }
}

void GveDevice::doorbell(uint64_t slot, uint32_t value) {
    if (!bus_master_ || !state_.resources)
        return bad_doorbell("", fmt::format("doorbell {} was rung {}", slot,
                                            bus_master_ ? "before the device had its resources"
                                                        : "while bus mastering is off"));
    auto id = static_cast<uint16_t>(slot % kDoorbellGroup);
    switch (slot / kDoorbellGroup * kDoorbellGroup) {
        case kInterruptDoorbells:
            if (id < state_.context.notify.count()) {
                state_.context.notify.doorbell(id, value);
                if (state_.context.notify.is_armed(id)) driver_waits(id);
                return;
            }
            break;
        case kTxDoorbells:
            if (id < state_.tx.size() && state_.tx[id].live()) {
                if (state_.tx[id].doorbell(value)) state_.context.wire.flush();
                return;
            }
            break;
        case kRxDoorbells:
            if (id < state_.rx.size() && state_.rx[id].live()) {
                state_.rx[id].doorbell(value);
                return;
            }
            break;
        default:
            break;
    }
    bad_doorbell(
        "", fmt::format("doorbell {} was rung with {:#x}, and nothing that is there has it", slot,
                        value));
}

bool GveDevice::has_work() const {
    return bus_master_ && std::any_of(state_.tx.begin(), state_.tx.end(),
                                      [](const TxQueue& queue) { return queue.has_work(); });
}

void GveDevice::work() {
    if (!bus_master_) return;
    bool sent = false;
    for (TxQueue& queue : state_.tx)
        if (queue.has_work() && queue.take_turn()) sent = true;
    if (sent) state_.context.wire.flush();
    settle();
}

void GveDevice::reset() {
    ++state_.context.counters.resets;
    stop_everything();
    bus_master_ = false;
    is_reset_ = true;
    driver_status_ = 0;
    adminq_base_ = 0;
    adminq_length_ = 0;
    driver_version_.clear();
}

void GveDevice::stop_everything() {
    admin_.stop();
    reset_requested_ = false;
    due_ = 0;
    state_.reset();
}

Accepted GveDevice::deliver(const Delivery& delivery) {
    GveContext& context = state_.context;
    if (!bus_master_ || !context.link_up || !admin_.running()) {
        ++context.counters.rx_not_running;
        return Accepted::kNotRunning;
    }
    if (delivery.queue >= state_.rx.size() || !state_.rx[delivery.queue].live()) {
        ++context.counters.rx_queue_off;
        return Accepted::kQueueOff;
    }
    RxQueue& queue = state_.rx[delivery.queue];
    uint64_t before = context.counters.rx[delivery.queue].buffers;
    Accepted accepted = queue.deliver(delivery);
    if (context.counters.rx[delivery.queue].buffers != before) {
        // A lost interrupt is one that was never thought of: not raised, and not pending either.
        // The queue wakes with the next packet.
        if (delivery.lose_interrupt) {
            ++context.counters.rx[delivery.queue].lost_interrupts;
        } else {
            due_ |= 1u << delivery.queue;
        }
    }
    settle();
    return accepted;
}

void GveDevice::end_of_burst() {
    for (uint16_t id = 0; due_ != 0; ++id, due_ >>= 1)
        if ((due_ & 1) != 0 && state_.rx[id].live())
            state_.context.notify.event(state_.rx[id].setup().block);
    if (bus_master_) state_.stats.publish_if_changed(state_.context, state_.rx);
}

void GveDevice::set_link(bool up) {
    if (state_.context.link_up == up) return;
    state_.context.link_up = up;
    if (bus_master_) state_.context.notify.management();
}

void GveDevice::request_reset() {
    ++state_.context.counters.reset_requests;
    reset_requested_ = true;
    if (bus_master_) state_.context.notify.management();
}

void GveDevice::settle() {
    if (!state_.context.needs_reset) return;
    state_.context.needs_reset = false;
    request_reset();
}

std::vector<std::pair<std::string, uint64_t>> GveDevice::counters() const {
    auto list = state_.context.counters.list(static_cast<uint16_t>(state_.tx.size()),
                                             static_cast<uint16_t>(state_.rx.size()));
    list.emplace_back("command_faults", state_.context.command_faults.hits());
    for (size_t i = 0; i < state_.rx.size(); ++i)
        list.emplace_back("rx" + std::to_string(i) + "_posted",
                          state_.rx[i].live() ? state_.rx[i].posted() : 0);
    return list;
}

}  // namespace zcrxlab::nic
