// BnxtContext: the words for what a driver must not ask.
#include "nic/models/bnxt/datapath/bnxt_context.hpp"

#include <fmt/format.h>

namespace zcrxlab::nic::bnxt {

void BnxtContext::forbid_dma(std::string queue, std::optional<uint32_t> descriptor,
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

void BnxtContext::forbid_doorbell(std::string queue, std::string what) {
    ++counters.bad_registers;
    forbid({.kind = ForbiddenKind::kDoorbell, .queue = std::move(queue), .what = std::move(what)});
}

}  // namespace zcrxlab::nic::bnxt
