// Parses --expect, and compares it with a report.
#include "results/exec/zcrx_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

// What may be counted at most.
struct Bound {
    std::string_view name;
    std::optional<uint64_t> ZcrxExpectation::*wanted;
    uint64_t (ZcrxReport::*measured)() const;
    std::string_view probe;  // without which it is not known; empty: the NIC's counters
    std::string_view what;
};
constexpr std::array<Bound, 6> kBounds{
    {{"copied", &ZcrxExpectation::copied, &ZcrxReport::copied, "copy", "copied bytes"},
     {"starved", &ZcrxExpectation::starved, &ZcrxReport::starved, "buffers",
      "times without a buffer for the NIC"},
     {"cq-full", &ZcrxExpectation::cq_full, &ZcrxReport::cq_full, "piece", "CQEs without room"},
     {"errors", &ZcrxExpectation::errors, &ZcrxReport::errors, "result",
      "failed requests and registrations"},
     {"lost", &ZcrxExpectation::lost, &ZcrxReport::lost, "",
      "packets that the NIC dropped for want of a buffer"},
     {"left-behind", &ZcrxExpectation::left_behind, &ZcrxReport::left, "made",
      "queues still taken after the program's end"}}};

}  // namespace

Result<void> add_expectation(ZcrxExpectation& expected, std::string_view text) {
    const Error wrong{EINVAL,
                      "--expect takes zero-copy=99%, bytes=N (at least), or copied=N, starved=N, "
                      "cq-full=N, errors=N, lost=N, left-behind=N (at most), not \"" +
                          std::string(text) + "\"."};
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return wrong;
    const std::string_view name = text.substr(0, equals);
    std::string_view value = text.substr(equals + 1);
    if (name == "zero-copy") {
        if (!value.ends_with('%')) return wrong;
        value.remove_suffix(1);
        const auto percent = number_from<double>(value);
        if (!percent || !(*percent >= 0 && *percent <= 100)) return wrong;
        expected.zero_copy_percent = *percent;
        return {};
    }
    const auto count = number_from<uint64_t>(value);
    if (!count) return wrong;
    if (name == "bytes") {
        expected.bytes = *count;
        return {};
    }
    const auto bound = std::ranges::find(kBounds, name, &Bound::name);
    if (bound == kBounds.end()) return wrong;
    expected.*(bound->wanted) = *count;
    return {};
}

std::vector<std::string> disappointments(const ZcrxExpectation& expected,
                                         const ZcrxReport& report) {
    std::vector<std::string> said;
    if (expected.zero_copy_percent) {
        const auto percent = report.zero_copy_percent();
        if (!percent)
            said.push_back(fmt::format("At least {} % zero copy was expected, and {}.",
                                       *expected.zero_copy_percent,
                                       report.knows("piece") && report.exact("copy")
                                           ? "nothing was received by zero-copy receive"
                                           : "it could not be measured"));
        else if (*percent < *expected.zero_copy_percent)
            said.push_back(fmt::format("At least {} % zero copy was expected, and it was {:.2f} %.",
                                       *expected.zero_copy_percent, *percent));
    }
    if (expected.bytes && (!report.knows("piece") || report.bytes() < *expected.bytes))
        said.push_back(fmt::format("At least {} bytes were expected by zero-copy receive, and {}.",
                                   *expected.bytes,
                                   report.knows("piece") ? fmt::format("{} came", report.bytes())
                                                         : "they could not be counted"));
    for (const Bound& bound : kBounds) {
        const auto& most = expected.*(bound.wanted);
        if (!most) continue;
        const bool known = bound.probe.empty() ? !report.nic().empty() : report.exact(bound.probe);
        const uint64_t measured = (report.*(bound.measured))();
        if (known && measured <= *most) continue;
        said.push_back(
            fmt::format("At most {} {} were expected, and {}.", *most, bound.what,
                        known ? fmt::format("it was {}", measured) : "they could not be counted"));
    }
    return said;
}

}  // namespace zcrxlab
