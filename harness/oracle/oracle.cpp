// The invariants: number, sentence and check of each.
#include "harness/oracle/oracle.hpp"

#include <array>
#include <string_view>

namespace zcrxlab {

namespace {

struct Row {
    Invariant invariant;
    std::vector<Violation> (*check)(Events);
    std::string_view promise;
    std::string_view details = {};
};

constexpr std::array kRows = {
    Row{Invariant::kI1, check_stream,
        "every byte of the stream arrives exactly once, in order, with the right value, and the "
        "totals agree with what the peer sent"},
    Row{Invariant::kI2, check_completions,
        "every CQE is well formed: inside a registered area, inside one buffer, with the right "
        "token and flags, and exactly one final CQE per request"},
    Row{Invariant::kI3, check_held_memory,
        "memory that the user holds does not change until it is returned, and live ranges never "
        "overlap"},
    Row{Invariant::kI4, check_zero_copy,
        "zero copy is proven: the device's DMA wrote the bytes of a CQE into the very page behind "
        "that address"},
    Row{Invariant::kI5, check_conservation,
        "buffers are conserved: after draining, every buffer of the area is usable again, none "
        "twice"},
    Row{Invariant::kI6, check_teardown,
        "after close the provider leaves the queue in bounded time, and pools, pins and locked "
        "memory return to where they were"},
    Row{Invariant::kI7, check_kernel_log, "the kernel log is clean",
        "no WARN, BUG, KASAN, lockdep, refcount, hung task"},
    Row{Invariant::kI8, check_nic, "the NIC's configuration is what it was before"},
    Row{Invariant::kI9, check_errors,
        "every error is the promised errno, and leaves nothing behind"},
    Row{Invariant::kI10, check_driver, "the driver asks nothing forbidden of its device",
        "no DMA outside its mappings, no wild doorbell, no malformed descriptor"},
};

constexpr auto kInvariants = [] {
    std::array<Invariant, kRows.size()> list{};
    for (size_t i = 0; i < kRows.size(); ++i) list.at(i) = kRows.at(i).invariant;
    return list;
}();

constexpr bool stands_by_number() {
    for (size_t i = 0; i < kInvariants.size(); ++i)
        if (static_cast<size_t>(kInvariants.at(i)) != i + 1) return false;
    return kInvariants.back() == Invariant::kI10;
}
static_assert(stands_by_number());

const Row& row_of(Invariant invariant) {
    return kRows.at(static_cast<size_t>(invariant) - 1);
}

}  // namespace

std::span<const Invariant> invariants() {
    return kInvariants;
}

std::string name_of(Invariant invariant) {
    return "I" + std::to_string(static_cast<int>(invariant));
}

std::string promise_of(Invariant invariant) {
    return std::string(row_of(invariant).promise);
}

std::string details_of(Invariant invariant) {
    return std::string(row_of(invariant).details);
}

std::vector<Violation> check_all(Events events) {
    std::vector<Violation> all;
    for (const Row& row : kRows)
        for (Violation& violation : row.check(events)) all.push_back(std::move(violation));
    return all;
}

}  // namespace zcrxlab
