// RxQueue: one receive queue in DQO RDA format, from a Delivery to buffers and completions.
#include "nic/models/gve/gve_rx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace zcrxlab::nic::gve {
namespace {

// Of mutations: bytes of the headers that get into the payload, and how late a destroyed queue
// writes how much.
constexpr size_t kHeaderInPayload = 4;
constexpr size_t kLateBuffers = 8;
constexpr size_t kLateBytes = 64;

uint8_t l3_of(L3 l3) {
    switch (l3) {
        case L3::kIpv4:
            return kL3Ipv4;
        case L3::kIpv6:
            return kL3Ipv6;
        case L3::kOther:
            break;
    }
    return kL3Unknown;
}

// The driver takes the hash of a packet with a known L4 type for a hash over ports, so that only
// TCP and UDP may have one.
uint8_t l4_of(L4 l4) {
    switch (l4) {
        case L4::kTcp:
            return kL4Tcp;
        case L4::kUdp:
            return kL4Udp;
        case L4::kOther:
        case L4::kIcmp:
        case L4::kFragment:
            break;
    }
    return kL4Unknown;
}

// Whether buffer `i` of a packet is the one that a fault hits.
bool is_bad(const Delivery& delivery, uint32_t i, uint32_t buffers) {
    return delivery.bad_buffer && i == std::min<uint32_t>(*delivery.bad_buffer, buffers - 1);
}

// Assumed: what fails of the headers is told with the first buffer, which has a place for them.
bool has_error(const Delivery& delivery, uint32_t i, size_t split, uint32_t buffers) {
    return is_bad(delivery, i, buffers) || (delivery.bad_headers && split != 0 && i == 0);
}

// One byte more in the last of several buffers, where there is room, and one less in the first.
void shift_length(RxCompletion& first, RxCompletion& last, uint16_t room) {
    if (last.length_generation >= room) return;
    first.length_generation = static_cast<uint16_t>(first.length_generation - 1);
    last.length_generation = static_cast<uint16_t>(last.length_generation + 1);
}

}  // namespace

void RxQueue::start(const Setup& setup) {
    stop();
    setup_ = setup;
    posted_at_.assign(setup.size, 0);
    live_ = true;
}

void RxQueue::stop() {
    if (live_ && context_.mutation.is(Mutation::kDmaAfterDestroy)) remember_posted();
    live_ = false;
    last_address_ = 0;
    kept_ = false;
    rest_count_ = 0;
    cache_begin_ = cached_ = next_ = tail_ = completion_head_ = 0;
    generation_ = 1;
}

void RxQueue::doorbell(uint32_t tail) {
    if (!live_) return;
    if (tail >= setup_.size)
        return bad_doorbell(
            fmt::format("its doorbell was rung with {} in a ring of {}", tail, setup_.size));
    // Buffers that were posted cannot be taken back.
    if (((tail - next_) & (setup_.size - 1)) < posted())
        return bad_doorbell(
            fmt::format("its doorbell was rung with {} after {}, which takes back "
                        "buffers that were posted",
                        tail, tail_));
    const uint32_t now = context_.witness.microseconds();
    for (; tail_ != tail; tail_ = (tail_ + 1) & (setup_.size - 1)) posted_at_[tail_] = now;
}

void RxQueue::bad_doorbell(std::string what) {
    ++context_.counters.bad_registers;
    context_.forbid(
        {.kind = ForbiddenKind::kDoorbell, .queue = rx_name(setup_.id), .what = std::move(what)});
}

bool RxQueue::fetch(uint32_t count) {
    if (cached_ >= count) return true;
    std::copy_n(cache_.begin() + cache_begin_, cached_, cache_.begin());
    cache_begin_ = 0;
    uint32_t want = std::min(posted(), kMostBuffers);
    while (cached_ < want) {
        uint32_t index = (next_ + cached_) & (setup_.size - 1);
        uint32_t run = std::min(want - cached_, setup_.size - index);
        const uint64_t at = setup_.buffer_ring + uint64_t{index} * sizeof(RxBufferDescriptor);
        const auto into = std::as_writable_bytes(std::span(cache_.data() + cached_, run));
        if (!context_.dma.read(at, into)) {
            fail("buffer ring", at, into.size(), Access::kRead);
            return false;
        }
        cached_ += run;
    }
    return true;
}

Accepted RxQueue::deliver(const Delivery& delivery) {
    if (rest_comes_ != Rest::kOvertaken) complete_rest();
    if (!live_) return Accepted::kQueueOff;
    size_t size = delivery.bytes.size();
    size_t split = delivery.header_length;
    if (setup_.header_buffer_size == 0 || split > size) split = 0;
    if (split > std::min(setup_.header_buffer_size, kRxMaximumHeader)) {
        ++counters().header_overflow;
        split = 0;
    }
    size_t needed = std::max<size_t>(
        1, (size - split + setup_.packet_buffer_size - 1) / setup_.packet_buffer_size);
    if (delivery.empty_buffer) ++needed;
    if (size == 0 || needed > std::min(kMostBuffers, setup_.size - 1)) {
        ++counters().too_long;
        return Accepted::kTooLong;
    }
    auto buffers = static_cast<uint32_t>(needed);
    if (delivery.no_buffer || posted() < buffers) {
        ++counters().no_buffer;
        return Accepted::kNoBuffer;
    }
    if (!fetch(buffers)) return Accepted::kQueueOff;

    hit_ = context_.mutation.hits(delivery);
    bool placed = place(delivery, split, buffers);
    if (!late_.empty() || !left_posted_.empty()) write_late(delivery, buffers);
    complete(delivery, split, buffers, !placed);
    if (!live_) return Accepted::kQueueOff;
    if (!placed) {
        ++counters().bad_address;
        return Accepted::kBadAddress;
    }
    if (mutated(Mutation::kBufferKept) && !kept_) keep_buffer();
    ++counters().packets;
    counters().bytes += size;
    if (split != 0) ++counters().split;
    if (delivery.rsc_mss != 0) ++counters().rsc;
    if (delivery.l4_checksum == ChecksumState::kBad || delivery.ip_checksum == ChecksumState::kBad)
        ++counters().bad_checksum;
    return Accepted::kYes;
}

bool RxQueue::place(const Delivery& delivery, size_t split, uint32_t buffers) {
    const RxBufferDescriptor* buffer = cache_.data() + cache_begin_;
    if (split != 0 && !delivery.bad_headers) {
        if (!context_.dma.write(buffer->header_address, delivery.bytes.first(split))) {
            context_.forbid_dma(rx_name(setup_.id), next_, "a header buffer",
                                buffer->header_address, split, Access::kWrite);
            return false;
        }
        context_.witness.wrote(DmaWitness::Kind::kHeader, buffer->header_address,
                               static_cast<uint32_t>(split), delivery, 0, 0);
    }
    size_t at = split;
    size_t end = delivery.bytes.size();
    if (mutated(Mutation::kHeaderInPayload) && split >= kHeaderInPayload) {
        at -= kHeaderInPayload;
        end -= kHeaderInPayload;
    }
    for (uint32_t i = 0; i < buffers; ++i, ++buffer) {
        size_t length = std::min<size_t>(setup_.packet_buffer_size, end - at);
        if (length == 0) break;  // nothing but headers, or an empty buffer at the end
        if (is_bad(delivery, i, buffers)) {
            at += length;
            continue;
        }
        uint64_t address = buffer->address;
        if (i == 0 && mutated(Mutation::kBufferTwice) && last_address_ != 0)
            address = last_address_;
        if (!context_.dma.write(address, delivery.bytes.subspan(at, length))) {
            // A mutant's own choice is not the driver's.
            if (address == buffer->address)
                context_.forbid_dma(rx_name(setup_.id), (next_ + i) & (setup_.size - 1), "a buffer",
                                    address, length, Access::kWrite);
            return false;
        }
        tell_witness(delivery, split, at, address, static_cast<uint32_t>(length),
                     posted_at_[(next_ + i) & (setup_.size - 1)]);
        if (i == 0) last_address_ = address;
        at += length;
    }
    return true;
}

void RxQueue::keep_buffer() {
    if (posted() == 0 || !fetch(1)) return;
    kept_ = true;
    ++cache_begin_;
    --cached_;
    next_ = (next_ + 1) & (setup_.size - 1);
}

void RxQueue::remember_posted() {
    left_posted_.clear();
    late_.clear();
    for (uint32_t i = next_; i != tail_; i = (i + 1) & (setup_.size - 1)) {
        RxBufferDescriptor buffer;
        if (!context_.dma.read_object(setup_.buffer_ring + uint64_t{i} * sizeof(buffer), buffer))
            return;
        left_posted_.insert(buffer.address);
    }
}

// Only buffers that the queue has been given again are written, and a little later: what the guest
// uses for something else is spared, because that would prove nothing but that it can be killed.
void RxQueue::write_late(const Delivery& delivery, uint32_t buffers) {
    if (!carries_payload(delivery)) return;
    for (uint32_t i = 0; i < buffers; ++i)
        if (uint64_t address = cache_[cache_begin_ + i].address; left_posted_.erase(address) != 0)
            late_.push_back(address);
    if (late_.size() <= kLateBuffers) return;
    auto payload = delivery.bytes.subspan(delivery.payload_offset);
    payload = payload.first(std::min(payload.size(), kLateBytes));
    if (context_.dma.write(late_.front(), payload))
        context_.witness.wrote(DmaWitness::Kind::kPayload, late_.front(),
                               static_cast<uint32_t>(payload.size()), delivery, 0, 0);
    late_.pop_front();
}

void RxQueue::tell_witness(const Delivery& delivery, size_t split, size_t begin, uint64_t address,
                           uint32_t length, uint32_t posted) {
    size_t payload = delivery.payload_offset;
    length = delivery.without_trailing(begin, length);
    if (length == 0) return;
    auto offset = static_cast<uint32_t>(begin > payload ? begin - payload : 0);
    if (split == 0) {
        context_.witness.wrote(DmaWitness::Kind::kUnsplit, address, length, delivery, offset,
                               posted);
        return;
    }
    // Split too early: the end of the headers lies in front of the payload.
    if (begin < payload) {
        auto headers = static_cast<uint32_t>(std::min<size_t>(payload - begin, length));
        context_.witness.wrote(DmaWitness::Kind::kHeader, address, headers, delivery, 0, posted);
        address += headers;
        length -= headers;
    }
    if (length > 0)
        context_.witness.wrote(DmaWitness::Kind::kPayload, address, length, delivery, offset,
                               posted);
}

RxCompletion RxQueue::describe(const Delivery& delivery) const {
    RxCompletion out{};
    out.descriptor_id = RxCompletion::kDescriptorId;
    out.packet_type_errors = packet_type(l3_of(delivery.l3), l4_of(delivery.l4));
    out.status = RxCompletion::kDone;
    if (delivery.header_length > std::min(setup_.header_buffer_size, kRxMaximumHeader) &&
        setup_.header_buffer_size != 0)
        out.status |= RxCompletion::kHeaderOverflow;
    // The driver takes a packet with this bit and no error bits as verified, whatever its type.
    if (delivery.l4_checksum != ChecksumState::kUnknown) out.status |= RxCompletion::kL3L4Processed;
    if (delivery.l4_checksum == ChecksumState::kBad) out.status |= RxCompletion::kL4ChecksumError;
    if (delivery.ip_checksum == ChecksumState::kBad) out.status |= RxCompletion::kIpChecksumError;
    if (delivery.rsc_mss != 0) {
        out.header = RxCompletion::kRsc;
        out.rsc_segment_length = delivery.rsc_mss;
    }
    if (delivery.rss_type != RssType::kNone) out.hash = delivery.rss_hash;
    return out;
}

void RxQueue::complete(const Delivery& delivery, size_t split, uint32_t buffers, bool failed) {
    std::array<RxCompletion, kMostBuffers> completions;
    RxCompletion common = describe(delivery);
    if (failed) common.flags = RxCompletion::kRxError;
    size_t left = delivery.bytes.size() - split;
    for (uint32_t i = 0; i < buffers; ++i) {
        RxCompletion& completion = completions[i];
        completion = common;
        auto length = static_cast<uint16_t>(std::min<size_t>(setup_.packet_buffer_size, left));
        left -= length;
        completion.length_generation = failed ? uint16_t{0} : length;
        completion.buffer_id = cache_[cache_begin_ + i].buffer_id;
        if (i == 0 && split != 0)
            completion.header =
                completion.header | RxCompletion::kSplitHeader | static_cast<uint16_t>(split);
        if (i + 1 == buffers) completion.status |= RxCompletion::kEndOfPacket;
        if (has_error(delivery, i, split, buffers)) {
            completion.flags = RxCompletion::kRxError;
            ++counters().buffer_errors;
        }
    }
    if (delivery.empty_buffer) ++counters().empty_buffers;
    if (mutated(Mutation::kLengthOff) && buffers > 1 && !failed)
        shift_length(completions[0], completions[buffers - 1], setup_.packet_buffer_size);
    cache_begin_ += buffers;
    cached_ -= buffers;
    next_ = (next_ + buffers) & (setup_.size - 1);
    counters().buffers += buffers;
    if (mutated(Mutation::kCompletionLost)) return;
    const std::span all(completions.data(), buffers);
    // Only one packet is kept: the one that overtakes it comes whole.
    if (rest_count_ != 0) {
        publish_or_fail(all);
        ++counters().overtaken;
        complete_rest();
        return;
    }
    size_t now = buffers;
    if (delivery.rest == Rest::kOvertaken) {
        now = 0;
    } else if (delivery.rest != Rest::kAtOnce) {
        now = 1;
    }
    complete_part(all, now, delivery.rest);
}

void RxQueue::complete_part(std::span<RxCompletion> completions, size_t now, Rest when) {
    const auto later = completions.subspan(now);
    rest_count_ = static_cast<uint32_t>(later.size());
    rest_comes_ = when;
    seen_in_part_ = false;
    std::copy(later.begin(), later.end(), rest_.begin());
    if (now != 0) publish_or_fail(completions.first(now));
}

bool RxQueue::driver_waits() {
    if (rest_count_ == 0 || rest_comes_ == Rest::kOvertaken) return false;
    if (!seen_in_part_) ++counters().seen_in_part;
    seen_in_part_ = true;
    if (rest_comes_ == Rest::kWithNext) return false;
    complete_rest();
    return true;
}

void RxQueue::complete_rest() {
    if (rest_count_ != 0) publish_or_fail(std::span(rest_.data(), std::exchange(rest_count_, 0)));
}

void RxQueue::publish_or_fail(std::span<RxCompletion> completions) {
    const uint64_t at = setup_.completion_ring + uint64_t{completion_head_} * sizeof(RxCompletion);
    if (!publish(completions))
        fail("completion ring", at, completions.size_bytes(), Access::kWrite);
}

bool RxQueue::publish(std::span<RxCompletion> completions) {
    constexpr size_t kWord = offsetof(RxCompletion, length_generation);
    uint64_t first_slot =
        setup_.completion_ring + uint64_t{completion_head_} * sizeof(RxCompletion);
    uint16_t first = completions[0].length_generation;
    if (generation_ != 0) first |= RxCompletion::kGeneration;
    // The driver reads in order, so the packet stays unseen until the first one's generation turns:
    // all is written with the first still in its old generation, then that word is released.
    bool is_first = true;
    while (!completions.empty()) {
        size_t run =
            std::min<size_t>(completions.size(), setup_.completion_size - completion_head_);
        for (RxCompletion& completion : completions.first(run)) {
            if ((generation_ != 0) != is_first)
                completion.length_generation =
                    completion.length_generation | RxCompletion::kGeneration;
            is_first = false;
        }
        if (!context_.dma.write(
                setup_.completion_ring + uint64_t{completion_head_} * sizeof(RxCompletion),
                std::as_bytes(completions.first(run))))
            return false;
        completion_head_ += static_cast<uint32_t>(run);
        if (completion_head_ == setup_.completion_size) {
            completion_head_ = 0;
            if (setup_.id == 0 || !context_.mutation.is(Mutation::kStaleGeneration))
                generation_ ^= 1;
        }
        completions = completions.subspan(run);
    }
    return context_.dma.store_release(first_slot + kWord, first);
}

void RxQueue::fail(const char* what, uint64_t address, uint64_t size, Access access) {
    context_.forbid_dma(rx_name(setup_.id), {}, fmt::format("its {}", what), address, size, access);
    context_.broken(
        fmt::format("{}: its {} is not guest memory; the queue is stopped until the "
                    "driver resets the device",
                    rx_name(setup_.id), what));
    stop();
}

}  // namespace zcrxlab::nic::gve
