// Admin commands about resources and queues.
#include <fmt/format.h>

#include <bit>

#include "nic/models/gve/gve_adminq.hpp"
#include "nic/models/gve/gve_descriptors.hpp"

namespace zcrxlab::nic::gve {

Status AdminQueue::configure_resources(const ConfigureDeviceResources& command) {
    GveContext& context = state_.context;
    uint32_t counters = context.config.max_tx_queues + context.config.max_rx_queues;
    uint32_t blocks = command.num_irq_doorbells;
    uint32_t stride = command.irq_doorbell_stride;
    uint32_t base = command.msix_base_index;
    if (state_.resources)
        return forbid(Status::kAlreadyExists, "CONFIGURE_DEVICE_RESOURCES: it was done before");
    if (command.queue_format != kFormatDqoRda)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_DEVICE_RESOURCES: queue format {} is not DQO RDA ({})",
                                  command.queue_format, kFormatDqoRda));
    if (command.num_counters < counters)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_DEVICE_RESOURCES: {} counters are fewer than the {} "
                                  "of the device descriptor",
                                  command.num_counters.get(), counters));
    if (blocks < 2 || blocks > counters)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_DEVICE_RESOURCES: {} notification blocks are not "
                                  "within 2 and {}",
                                  blocks, counters));
    if (stride < sizeof(Be32) || stride > 4096 || base > 1)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_DEVICE_RESOURCES: stride {} or first vector {} cannot "
                                  "be",
                                  stride, base));
    Be32 counter;
    uint64_t array = command.counter_array;
    if (array + counters * sizeof(counter) < array || array == 0 ||
        !context.dma.read_object(array, counter) ||
        !context.dma.read_object(array + (counters - 1) * sizeof(counter), counter))
        return forbid_dma("the counter array", array, counters * sizeof(counter), Access::kRead);
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint64_t index = command.irq_doorbell_address + uint64_t{i} * stride;
        if (!context.dma.write_object(index, Be32(kInterruptDoorbells + i)))
            return forbid_dma("the array of doorbell indices", index, sizeof(Be32), Access::kWrite);
    }
    context.counter_array = array;
    context.notify.configure(static_cast<uint16_t>(blocks), static_cast<uint16_t>(base),
                             static_cast<uint16_t>(base == 0 ? blocks : 0));
    state_.resources = true;
    return Status::kPassed;
}

Status AdminQueue::deconfigure_resources() {
    if (!state_.resources)
        return forbid(Status::kFailedPrecondition,
                      "DECONFIGURE_DEVICE_RESOURCES: nothing is configured");
    if (state_.any_queue())
        return forbid(Status::kFailedPrecondition,
                      "DECONFIGURE_DEVICE_RESOURCES: destroy all queues first");
    state_.resources = false;
    state_.context.notify.clear();
    state_.context.counter_array = 0;
    state_.stats.detach();
    return Status::kPassed;
}

Status AdminQueue::check_queue(const char* kind, uint32_t id, uint32_t limit, bool live,
                               uint32_t notify_id) {
    if (!state_.resources)
        return forbid(Status::kFailedPrecondition,
                      fmt::format("CREATE_{}_QUEUE: configure the device's resources first", kind));
    if (id >= limit)
        return forbid(
            Status::kInvalidArgument,
            fmt::format("CREATE_{}_QUEUE: there are queues 0 to {}, {} is not one of them", kind,
                        limit - 1, id));
    if (live)
        return forbid(Status::kAlreadyExists,
                      fmt::format("CREATE_{}_QUEUE: queue {} exists", kind, id));
    if (notify_id >= state_.context.notify.count())
        return forbid(Status::kInvalidArgument,
                      fmt::format("CREATE_{}_QUEUE: notification block {} of {}", kind, notify_id,
                                  state_.context.notify.count()));
    return Status::kPassed;
}

Status AdminQueue::check_ring(const std::string& what, uint64_t address, uint32_t size,
                              uint32_t entry) {
    const GveConfig& config = state_.context.config;
    if (!std::has_single_bit(size) || size < config.min_ring || size > config.max_ring)
        return forbid(Status::kInvalidArgument,
                      fmt::format("{}: {} entries are not a power of two within {} and {}", what,
                                  size, config.min_ring, config.max_ring));
    uint64_t length = uint64_t{size} * entry;
    std::byte probe;
    if (address % entry != 0)
        return forbid(Status::kInvalidArgument,
                      fmt::format("{}: a ring at {:#x} is not aligned to its entries of {} bytes",
                                  what, address, entry));
    if (address + length < address || !state_.context.dma.read_object(address, probe) ||
        !state_.context.dma.read_object(address + length - 1, probe))
        return forbid_dma((what + ": the ring").c_str(), address, length, Access::kRead);
    return Status::kPassed;
}

Status AdminQueue::hand_out(uint64_t resources, uint32_t doorbell, uint32_t counter) {
    if (!state_.context.dma.write_object(resources, QueueResources{doorbell, counter}))
        return forbid_dma("the resources of a queue", resources, sizeof(QueueResources),
                          Access::kWrite);
    return Status::kPassed;
}

Status AdminQueue::create_tx(const CreateTxQueue& command) {
    uint32_t id = command.queue_id;
    bool live = id < state_.tx.size() && state_.tx[id].live();
    Status status =
        check_queue("TX", id, static_cast<uint32_t>(state_.tx.size()), live, command.notify_id);
    if (status != Status::kPassed) return status;
    std::string name = fmt::format("CREATE_TX_QUEUE {}", id);
    status = check_ring(name, command.ring_address, command.ring_size, sizeof(TxDescriptor));
    if (status != Status::kPassed) return status;
    status = check_ring(name + ", completions", command.completion_ring_address,
                        command.completion_ring_size, sizeof(TxCompletion));
    if (status != Status::kPassed) return status;
    if (command.completion_ring_size < command.ring_size)
        return forbid(Status::kInvalidArgument,
                      name + ": the completion ring is shorter than the descriptor ring");
    status = hand_out(command.resources_address, kTxDoorbells + id, id);
    if (status != Status::kPassed) return status;

    state_.tx[id].start({.ring = command.ring_address,
                         .completion_ring = command.completion_ring_address,
                         .size = command.ring_size,
                         .completion_size = command.completion_ring_size,
                         .id = static_cast<uint16_t>(id),
                         .block = static_cast<uint16_t>(command.notify_id.get()),
                         .counter_index = id});
    return Status::kPassed;
}

Status AdminQueue::create_rx(const CreateRxQueue& command) {
    const GveConfig& config = state_.context.config;
    uint32_t id = command.queue_id;
    bool live = id < state_.rx.size() && state_.rx[id].live();
    Status status =
        check_queue("RX", id, static_cast<uint32_t>(state_.rx.size()), live, command.notify_id);
    if (status != Status::kPassed) return status;
    std::string name = fmt::format("CREATE_RX_QUEUE {}", id);
    status = check_ring(name, command.buffer_ring_address, command.buffer_ring_size,
                        sizeof(RxBufferDescriptor));
    if (status != Status::kPassed) return status;
    status = check_ring(name + ", completions", command.completion_ring_address,
                        command.completion_ring_size, sizeof(RxCompletion));
    if (status != Status::kPassed) return status;
    if (command.completion_ring_size < command.buffer_ring_size)
        return forbid(Status::kInvalidArgument,
                      name + ": the completion ring is shorter than the buffer ring");
    uint16_t buffer = command.packet_buffer_size;
    if ((buffer != 2048 && buffer != 4096) || buffer > config.packet_buffer_size)
        return forbid(Status::kInvalidArgument,
                      fmt::format("{}: buffers of {} bytes; 2048 and, if offered, 4096 are known",
                                  name, buffer));
    uint16_t header = command.header_buffer_size;
    if (header != 0 && header != config.header_buffer_size)
        return forbid(Status::kInvalidArgument,
                      fmt::format("{}: header buffers of {} bytes, {} were offered", name, header,
                                  config.header_buffer_size));
    if (command.enable_rsc > 1)
        return forbid(Status::kInvalidArgument,
                      fmt::format("{}: enable_rsc is {}", name, command.enable_rsc));
    status = hand_out(command.resources_address, kRxDoorbells + id,
                      static_cast<uint32_t>(state_.tx.size()) + id);
    if (status != Status::kPassed) return status;

    state_.rx[id].start({.buffer_ring = command.buffer_ring_address,
                         .completion_ring = command.completion_ring_address,
                         .size = command.buffer_ring_size,
                         .completion_size = command.completion_ring_size,
                         .id = static_cast<uint16_t>(id),
                         .block = static_cast<uint16_t>(command.notify_id.get()),
                         .packet_buffer_size = buffer,
                         .header_buffer_size = header,
                         .rsc = command.enable_rsc != 0});
    state_.receive_queues_changed();
    return Status::kPassed;
}

Status AdminQueue::destroy_tx(const DestroyQueue& command) {
    if (command.queue_id >= state_.tx.size() || !state_.tx[command.queue_id].live())
        return forbid(Status::kNotFound, fmt::format("DESTROY_TX_QUEUE: there is no queue {}",
                                                     command.queue_id.get()));
    state_.tx[command.queue_id].stop();
    return Status::kPassed;
}

Status AdminQueue::destroy_rx(const DestroyQueue& command) {
    if (command.queue_id >= state_.rx.size() || !state_.rx[command.queue_id].live())
        return forbid(Status::kNotFound, fmt::format("DESTROY_RX_QUEUE: there is no queue {}",
                                                     command.queue_id.get()));
    state_.rx[command.queue_id].stop();
    state_.receive_queues_changed();
    return Status::kPassed;
}

}  // namespace zcrxlab::nic::gve
