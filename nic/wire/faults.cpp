// Which rules a packet meets, and which of these act.
#include "nic/wire/faults.hpp"

#include <algorithm>
#include <string>

namespace zcrxlab::nic {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere, whatever the C++ library.
uint64_t next_random(uint64_t& state) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static_assert(fault_range::kBytes.high == kMaximumFrame);

L3 l3_of(FaultFamily family) {
    return family == FaultFamily::kIpv4 ? L3::kIpv4 : L3::kIpv6;
}

L4 l4_of(FaultProtocol protocol) {
    switch (protocol) {
        case FaultProtocol::kTcp:
            return L4::kTcp;
        case FaultProtocol::kUdp:
            return L4::kUdp;
        case FaultProtocol::kIcmp:
            return L4::kIcmp;
    }
    return L4::kOther;
}

bool has_payload(const ParsedHeaders& headers) {
    return (headers.l4 == L4::kTcp || headers.l4 == L4::kUdp) && headers.payload_length() > 0;
}

bool matches(const FaultRule& rule, unsigned port, const ParsedHeaders& headers, uint16_t queue) {
    const FaultMatch& match = rule.match;
    if (rule.port != port) return false;
    if (match.queue && *match.queue != queue) return false;
    if (match.family && headers.l3 != l3_of(*match.family)) return false;
    if (match.protocol && l4_of(*match.protocol) != headers.l4) return false;
    bool ports = headers.l4 == L4::kTcp || headers.l4 == L4::kUdp;
    if ((match.source_port || match.destination_port) && !ports) return false;
    if (match.source_port && *match.source_port != headers.source_port) return false;
    if (match.destination_port && *match.destination_port != headers.destination_port) return false;
    if (match.payload && *match.payload != has_payload(headers)) return false;
    // There is nothing to invert in a packet without payload.
    return rule.what != FaultKind::kCorrupt || has_payload(headers);
}

// Counts one matching packet; true if the rule wants it.
bool wants(Faults::Entry& entry) {
    const FaultMatch& match = entry.rule.match;
    entry.seen += 1;
    if (entry.seen <= match.skip || (entry.seen - match.skip) % match.every != 0) return false;
    if (match.probability < 1) {
        double drawn = static_cast<double>(next_random(entry.random) >> 11) * 0x1p-53;
        if (drawn >= match.probability) return false;
    }
    return entry.hits < match.count;
}

// Whether the rule surely wants none of the next `count` matching packets, without a draw.
bool lets_pass(const Faults::Entry& entry, uint64_t count) {
    const FaultMatch& match = entry.rule.match;
    if (entry.hits >= match.count) return true;
    uint64_t after = entry.seen + count;
    if (after <= match.skip) return true;
    uint64_t before = std::max(entry.seen, match.skip) - match.skip;
    return before / match.every == (after - match.skip) / match.every;
}

// Different kinds draw differently, or a second rule with the default seed would only ever want
// packets that the first one takes.
uint64_t first_random(const FaultRule& rule) {
    return rule.match.seed + static_cast<uint64_t>(rule.what) * uint64_t{0xd1342543de82ef95};
}

}  // namespace

Result<uint32_t> Faults::add(const FaultRule& rule, bool standing) {
    if (entries_.size() >= kMaximumRules)
        return Error{ENOSPC, "There are " + std::to_string(kMaximumRules) +
                                 " fault rules already; remove some with {\"do\":\"clear\"}."};
    last_id_ += 1;
    entries_.push_back({last_id_, with_defaults(rule), 0, 0, first_random(rule), standing});
    return last_id_;
}

void Faults::clear() {
    std::erase_if(entries_, [](const Entry& entry) { return !entry.standing; });
    for (Entry& entry : entries_) {
        entry.seen = entry.hits = 0;
        entry.random = first_random(entry.rule);
    }
}

Result<void> Faults::remove(uint32_t id) {
    auto at = std::find_if(entries_.begin(), entries_.end(),
                           [id](const Entry& entry) { return entry.id == id; });
    if (at == entries_.end())
        return Error{ENOENT, "There is no fault rule " + std::to_string(id) +
                                 "; see {\"do\":\"faults\"} for those there are."};
    entries_.erase(at);
    return {};
}

FaultHit Faults::evaluate(unsigned port, const ParsedHeaders& headers, uint16_t queue) {
    FaultHit hit;
    for (Entry& entry : entries_) {
        if (!matches(entry.rule, port, headers, queue) || !wants(entry) || hit) continue;
        entry.hits += 1;
        const FaultRule& rule = entry.rule;
        hit = {entry.id,
               rule.what,
               rule.bytes.value_or(0),
               rule.frames.value_or(0),
               rule.milliseconds.value_or(0),
               rule.to.value_or(0),
               rule.buffer.value_or(0)};
    }
    return hit;
}

bool Faults::pass_over(unsigned port, const ParsedHeaders& headers, uint16_t queue,
                       uint64_t count) {
    for (const Entry& entry : entries_) {
        if (matches(entry.rule, port, headers, queue) && !lets_pass(entry, count)) return false;
    }
    for (Entry& entry : entries_) {
        if (matches(entry.rule, port, headers, queue)) entry.seen += count;
    }
    return true;
}

}  // namespace zcrxlab::nic
