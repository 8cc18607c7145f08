// I10: the driver asks nothing forbidden of its device.
#include <fmt/format.h>

#include <string>

#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

// Which queue, descriptor and address it was about, as far as there is one.
std::string place_of(const ForbiddenAsked& e) {
    std::string text = e.queue;
    const auto add = [&text](const std::string& more) {
        if (!text.empty()) text += ", ";
        text += more;
    };
    if (e.descriptor) add(fmt::format("descriptor {}", *e.descriptor));
    if (e.address) add(fmt::format("address {:#x}", *e.address));
    return text.empty() ? text : text + ": ";
}

}  // namespace

std::vector<Violation> check_driver(Events events) {
    Findings findings(Invariant::kI10);
    each_of<ForbiddenAsked>(events, [&](size_t index, const ForbiddenAsked& e) {
        findings.add(index, fmt::format("the driver at port {} asked for what is forbidden ({}): "
                                        "{}{}",
                                        e.port, e.kind, place_of(e), e.what));
    });
    size_t unwatched = events.size();  // the last log of writes with no DriverWatched behind it
    each_of<DmaWrites>(events, [&](size_t index, const DmaWrites&) { unwatched = index; });
    each_of<DriverWatched>(events, [&](size_t index, const DriverWatched& e) {
        if (index > unwatched) unwatched = events.size();
        if (e.lost != 0)
            findings.add(index, fmt::format("{} forbidden requests of the driver are lost: the "
                                            "device no longer had them",
                                            e.lost));
    });
    if (unwatched < events.size())
        findings.add(unwatched,
                     "the device told what it wrote, and nobody asked it what its driver had asked "
                     "(no DriverWatched)");
    return findings.take();
}

}  // namespace zcrxlab
