// I9: every error is the promised errno. What it must not leave behind, I6 and I8 compare.
#include <fmt/format.h>

#include "harness/base/errno_name.hpp"
#include "harness/oracle/findings.hpp"

namespace zcrxlab {

std::vector<Violation> check_errors(Events events) {
    Findings findings(Invariant::kI9);
    each_of<CallReturned>(events, [&](size_t index, const CallReturned& e) {
        if (e.seen == e.expected) return;
        findings.add(index,
                     fmt::format("{} {}, but {} is promised", e.call,
                                 e.seen == 0 ? "succeeded" : "returned " + errno_name(e.seen),
                                 errno_name(e.expected)));
    });
    return findings.take();
}

}  // namespace zcrxlab
