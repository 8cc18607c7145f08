// The names of the invariants, and all checks in one call.
#include "harness/oracle/oracle.hpp"

#include <array>
#include <string_view>

namespace zcrxlab {

namespace {

struct Row {
    std::string_view promise;
    std::vector<Violation> (*check)(Events);
};

// By number; the sentences are those of the README.
constexpr std::array<Row, 9> kInvariants = {{
    {"every byte of the stream arrives exactly once, in order, with the right value, and the "
     "totals "
     "agree with what the peer sent",
     check_stream},
    {"every CQE is well formed: inside a registered area, inside one buffer, with the right token "
     "and flags, and exactly one final CQE per request",
     check_completions},
    {"memory that the user holds does not change until it is returned, and live ranges never "
     "overlap",
     check_held_memory},
    {"zero copy is proven: the device's DMA wrote the bytes of a CQE into the very page behind "
     "that "
     "address",
     check_zero_copy},
    {"buffers are conserved: after draining, every buffer of the area is usable again, none twice",
     check_conservation},
    {"after close the provider leaves the queue in bounded time, and pools, pins and locked memory "
     "return to where they were",
     check_teardown},
    {"the kernel log is clean", check_kernel_log},
    {"the NIC's configuration is what it was before", check_nic},
    {"every error is the promised errno, and leaves nothing behind", check_errors},
}};

}  // namespace

std::string name_of(Invariant invariant) {
    return "I" + std::to_string(static_cast<int>(invariant));
}

std::string promise_of(Invariant invariant) {
    return std::string(kInvariants.at(static_cast<size_t>(invariant) - 1).promise);
}

std::vector<Violation> check_all(Events events) {
    std::vector<Violation> all;
    for (const Row& row : kInvariants)
        for (Violation& violation : row.check(events)) all.push_back(std::move(violation));
    return all;
}

}  // namespace zcrxlab
