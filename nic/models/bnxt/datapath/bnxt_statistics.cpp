// Statistics: blocks of counters in guest memory.
#include "nic/models/bnxt/datapath/bnxt_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zcrxlab::nic::bnxt {
namespace {

enum class Cast : uint8_t { kUnicast, kMulticast, kBroadcast };

Cast cast_of(std::span<const std::byte> frame) {
    constexpr size_t kAddress = 6;
    if (frame.size() < kAddress || (frame[0] & std::byte{1}) == std::byte{0}) return Cast::kUnicast;
    const auto address = frame.first(kAddress);
    return std::ranges::count(address, std::byte{0xff}) == kAddress ? Cast::kBroadcast
                                                                    : Cast::kMulticast;
}

void add_to(Le64& counter, uint64_t more) {
    counter = counter + more;
}

// More frames of a direction, in the three counters of packets and the three of bytes.
void count(std::span<const std::byte> frame, const Segments& segments,
           StatBlock::Direction& packets, Le64& unicast_bytes, Le64& multicast_bytes,
           Le64& broadcast_bytes) {
    const uint64_t bytes = segments.bytes(frame.size());
    switch (cast_of(frame)) {
        case Cast::kUnicast:
            add_to(packets.unicast_packets, segments.packets);
            return add_to(unicast_bytes, bytes);
        case Cast::kMulticast:
            add_to(packets.multicast_packets, segments.packets);
            return add_to(multicast_bytes, bytes);
        case Cast::kBroadcast:
            add_to(packets.broadcast_packets, segments.packets);
            return add_to(broadcast_bytes, bytes);
    }
}

}  // namespace

std::optional<uint32_t> Statistics::add(uint64_t address, uint16_t length) {
    for (uint32_t i = 0; i < contexts_.size(); ++i) {
        if (contexts_[i]) continue;
        contexts_[i].emplace(Context{.address = address, .length = length});
        return i;
    }
    return {};
}

bool Statistics::free(uint32_t number) {
    if (find(number) == nullptr) return false;
    contexts_[number].reset();
    return true;
}

bool Statistics::clear(uint32_t number) {
    Context* context = find(number);
    if (context == nullptr) return false;
    context->block = {};
    context->changed = true;
    return true;
}

void Statistics::clear() {
    contexts_.fill({});
}

Statistics::Context* Statistics::find(uint32_t number) {
    return number < contexts_.size() && contexts_[number] ? &*contexts_[number] : nullptr;
}

void Statistics::received(uint32_t number, std::span<const std::byte> frame,
                          const Segments& segments) {
    Context* context = find(number);
    if (context == nullptr) return;
    StatBlock& block = context->block;
    count(frame, segments, block.rx, block.rx_unicast_bytes, block.rx_multicast_bytes,
          block.rx_broadcast_bytes);
    const uint64_t payload = frame.size() - std::min<uint64_t>(segments.headers, frame.size());
    if (segments.joinable) {
        add_to(block.joinable_packets, segments.packets);
        add_to(block.joinable_bytes, payload);
    }
    if (segments.packets > 1) {
        add_to(block.joined_packets, segments.packets);
        add_to(block.joined_bytes, payload);
    }
    context->changed = true;
}

void Statistics::discarded(uint32_t number) {
    Context* context = find(number);
    if (context == nullptr) return;
    add_to(context->block.rx_discarded, 1);
    context->changed = true;
}

void Statistics::failed(uint32_t number) {
    Context* context = find(number);
    if (context == nullptr) return;
    add_to(context->block.rx_errors, 1);
    context->changed = true;
}

void Statistics::sent(uint32_t number, std::span<const std::byte> frame) {
    Context* context = find(number);
    if (context == nullptr) return;
    StatBlock& block = context->block;
    count(frame, {}, block.tx, block.tx_unicast_bytes, block.tx_multicast_bytes,
          block.tx_broadcast_bytes);
    context->changed = true;
}

void Statistics::publish() {
    for (uint32_t i = 0; i < contexts_.size(); ++i) {
        auto& context = contexts_[i];
        if (!context || !context->changed) continue;
        context->changed = false;
        const auto whole = std::as_bytes(std::span(&context->block, 1));
        const auto bytes = whole.first(std::min<size_t>(context->length, whole.size()));
        if (context_.dma.write(context->address, bytes)) continue;
        context_.forbid_dma(fmt::format("statistics context {}", i), {}, "its counters",
                            context->address, bytes.size(), Access::kWrite);
        context.reset();
    }
}

}  // namespace zcrxlab::nic::bnxt
