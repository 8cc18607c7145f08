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
    "steering.xdp-locked",
    // refill
    "refill.index-wrap",
    "refill.one-too-many",
    // header_split
    "header_split.small-payloads",
    "header_split.options",
    "header_split.jumbo",
    "header_split.coalesced",
    // teardown
    "teardown.unacked-send",
    "teardown.device-reset",
    "teardown.removal",
    // concurrency
    "concurrency.reactor-per-queue",
    "concurrency.two-ifqs-one-ring",
    "concurrency.two-processes",
    "concurrency.other-ring",
    // areas
    "areas.dmabuf",
    // neighbours
    "neighbours.packet-socket",
    "neighbours.other-protocols",
});

}  // namespace

std::span<const std::string_view> not_yet_claimed() {
    return kNotYetClaimed;
}

}  // namespace zcrxlab
