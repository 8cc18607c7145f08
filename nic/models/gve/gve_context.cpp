// GveContext: the words for what a driver must not ask.
#include "nic/models/gve/gve_context.hpp"

#include <fmt/format.h>

namespace zcrxlab::nic::gve {

std::string tx_name(uint16_t id) {
    return fmt::format("transmit queue {}", id);
}

std::string rx_name(uint16_t id) {
    return fmt::format("receive queue {}", id);
}

void GveContext::forbid_dma(std::string queue, std::optional<uint32_t> descriptor,
                            std::string_view of, uint64_t address, uint64_t size,
                            Access access) const {
    const bool write = access == Access::kWrite;
    forbid({.kind = ForbiddenKind::kDma,
            .queue = std::move(queue),
            .descriptor = descriptor,
            .address = address,
            .what = fmt::format("{}, {} bytes to be {}, {}", of, size, write ? "written" : "read",
                                dma.why_refused(address, size, write))});
}

}  // namespace zcrxlab::nic::gve
