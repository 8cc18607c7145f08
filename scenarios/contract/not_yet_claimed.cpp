// The rows of the contract that no scenario claims yet, by chapter.
#include "scenarios/contract/coverage.hpp"

#include <array>

namespace zcrxlab {
namespace {

constexpr auto kNotYetClaimed = std::to_array<std::string_view>({
    // registration
    "registration.xdp-there",
    "registration.xsk-there",
    // steering
    "steering.rss-off-queue",
    "steering.rule-removed",
    "steering.foreign-tcp",
    "steering.foreign-packets",
    "steering.split-locked",
    "steering.xdp-locked",
    "steering.channels-locked",
    "steering.channels-exact",
    // cqe32
    "cqe32.submit-einval",
    "cqe32.submit-fd",
    "cqe32.submit-protocol",
    "cqe32.submit-unconnected",
    "cqe32.submit-buffer-select",
    "cqe32.skip-success-accepted",
    "cqe32.data-flags",
    "cqe32.mixed-flag",
    "cqe32.mixed-skip",
    "cqe32.offset",
    "cqe32.within-buffer",
    "cqe32.one-final",
    "cqe32.final-eof",
    "cqe32.final-reset",
    "cqe32.final-cq-full",
    "cqe32.final-foreign-fragment",
    "cqe32.rearm",
    "cqe32.limit",
    "cqe32.cancel",
    "cqe32.full-cq-then-silence",
    "cqe32.mixed-one-slot",
    "cqe32.two-requests",
    // refill
    "refill.wrap",
    "refill.index-wrap",
    "refill.overfull",
    "refill.any-order",
    "refill.other-thread",
    "refill.twice",
    "refill.invalid-ignored",
    "refill.offset-anywhere",
    "refill.length-ignored",
    "refill.one-reference",
    "refill.one-too-many",
    "refill.head-published",
    // exhaustion
    "exhaustion.enomem",
    "exhaustion.throttled",
    "exhaustion.burst-then-silence",
    "exhaustion.small-area",
    "exhaustion.alloc-fail-event",
    "exhaustion.out-of-order-holds",
    // copy_fallback
    "copy_fallback.other-queue",
    "copy_fallback.loopback",
    "copy_fallback.linear",
    "copy_fallback.page-limit",
    "copy_fallback.copy-event",
    "copy_fallback.copy-statistics",
    // header_split
    "header_split.small-payloads",
    "header_split.options",
    "header_split.jumbo",
    "header_split.coalesced",
    // tcp
    "tcp.duplicates",
    "tcp.corrupt",
    "tcp.zero-window",
    "tcp.tiny",
    "tcp.fin-with-data",
    "tcp.reset-mid-stream",
    "tcp.urgent",
    // teardown
    "teardown.kill",
    "teardown.socket-buffers",
    "teardown.unacked-send",
    "teardown.fork",
    "teardown.link",
    "teardown.ring-size",
    "teardown.device-reset",
    "teardown.removal",
    "teardown.accounting",
    // concurrency
    "concurrency.reactor-per-queue",
    "concurrency.two-ifqs-one-ring",
    "concurrency.two-processes",
    "concurrency.other-ring",
    // control
    // areas
    "areas.dmabuf",
    // neighbours
    "neighbours.plain-recv",
    "neighbours.peek",
    "neighbours.splice",
    "neighbours.packet-socket",
});

}  // namespace

std::span<const std::string_view> not_yet_claimed() {
    return kNotYetClaimed;
}

}  // namespace zcrxlab
