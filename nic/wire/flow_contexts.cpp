// FlowContexts: what a NIC holds back for RSC.
#include "nic/wire/flow_contexts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace zcrxlab::nic {
namespace {

bool same_addresses(const ParsedHeaders& a, const ParsedHeaders& b) {
    const size_t length = a.l3 == L3::kIpv4 ? 4 : sizeof(a.source);
    return a.l3 == b.l3 && std::memcmp(a.source, b.source, length) == 0 &&
           std::memcmp(a.destination, b.destination, length) == 0;
}

bool same_flow(const ParsedHeaders& a, const ParsedHeaders& b) {
    return a.l4 == b.l4 && a.source_port == b.source_port &&
           a.destination_port == b.destination_port && same_addresses(a, b);
}

}  // namespace

FlowContexts::FlowContexts(FlowLimits limits, Deliver deliver)
    : limits_(limits), deliver_(std::move(deliver)) {
    limits_.contexts = std::max<size_t>(limits_.contexts, 1);
}

void FlowContexts::add(const Packet& packet, uint64_t now, const RscLimits& limits) {
    expire(now);
    const ParsedHeaders& headers = packet.headers;
    if (const auto context = find(headers); context != held_.end()) {
        const Coalescer::Offer offer = context->coalescer.add(packet, limits);
        if (offer == Coalescer::Offer::kHeld) return;
        deliver(context);
        if (offer == Coalescer::Offer::kComplete) return;
    } else if (headers.l4 == L4::kFragment || headers.l4 == L4::kOther) {
        deliver_between_addresses_of(headers);
    }
    const auto fresh = unused();
    switch (fresh->coalescer.add(packet, limits)) {
        case Coalescer::Offer::kRefused:
            deliver_(packet, 1);
            return;
        case Coalescer::Offer::kComplete:
            fresh->coalescer.drop();
            deliver_(packet, 1);
            return;
        case Coalescer::Offer::kHeld:
            break;
    }
    fresh->flow = headers;
    fresh->deadline = now + limits_.hold;
    held_.splice(held_.end(), unused_, fresh);
    if (held_.size() > limits_.contexts) {
        evicted_ += 1;
        deliver(held_.begin());
    }
}

void FlowContexts::expire(uint64_t now) {
    while (next_deadline() <= now) {
        expired_ += 1;
        deliver(held_.begin());
    }
}

void FlowContexts::deliver_all() {
    while (!held_.empty()) deliver(held_.begin());
}

void FlowContexts::deliver(Contexts::iterator context) {
    // Taken out before anybody is called, so that nobody finds it half delivered; and kept from
    // being used anew until the bytes are no longer needed.
    Contexts ended;
    ended.splice(ended.end(), held_, context);
    const uint32_t segments = context->coalescer.segments();
    deliver_(context->coalescer.take(), segments);
    unused_.splice(unused_.end(), ended);
}

void FlowContexts::deliver_between_addresses_of(const ParsedHeaders& headers) {
    if (headers.l3 == L3::kOther) return;
    const auto between = [&] {
        return std::find_if(held_.begin(), held_.end(), [&](const Context& context) {
            return same_addresses(context.flow, headers);
        });
    };
    for (auto context = between(); context != held_.end(); context = between()) deliver(context);
}

FlowContexts::Contexts::iterator FlowContexts::find(const ParsedHeaders& headers) {
    if (headers.l4 != L4::kTcp) return held_.end();
    return std::find_if(held_.begin(), held_.end(),
                        [&](const Context& context) { return same_flow(context.flow, headers); });
}

FlowContexts::Contexts::iterator FlowContexts::unused() {
    if (unused_.empty()) unused_.emplace_back();
    return std::prev(unused_.end());
}

}  // namespace zcrxlab::nic
