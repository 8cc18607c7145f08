// Why something that an ifq delivered is not judged: the reasons that a test can give, and no
// others. In JSON a reason is its name; to people it is said by its sentence.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace zcrxlab {

template <typename Reason>
struct ReasonRow {
    Reason reason;
    std::string_view name;
    std::string_view sentence;  // goes on behind "since"; without a full stop
};
// clang deduces none of an aggregate before its version 17.
template <typename Reason>
ReasonRow(Reason, std::string_view, std::string_view) -> ReasonRow<Reason>;

// Why the buffers of an ifq are not counted before its ring is closed (I5).
enum class Uncounted : uint8_t {
    kNothingArrives = 1,
    kNotConserved,
    kMemoryTaken,
    kRepeated,
    kInSockets
};
inline constexpr std::array kUncounted = {
    ReasonRow{Uncounted::kNothingArrives, "nothing_arrives",
              "packets that would take its buffers do not reach its queue"},
    ReasonRow{Uncounted::kNotConserved, "not_conserved",
              "the test has given back what it did not hold, or has forgotten what it holds"},
    ReasonRow{Uncounted::kMemoryTaken, "memory_taken",
              "the test has taken the memory of its area or of its refill ring away"},
    ReasonRow{Uncounted::kRepeated, "repeated",
              "its area is the same memory again and again, which keeps no payload"},
    ReasonRow{Uncounted::kInSockets, "in_sockets",
              "sockets that are not the test's any more go on holding some of them"},
};

// Why nothing says how many of an ifq's bytes are to be copied (I4).
enum class CopiesUnknown : uint8_t {
    kRandomFaults = 1,
    kList,
    kNoPositions,
    kGaveUp,
    kStartedAgain
};
inline constexpr std::array kCopiesUnknown = {
    ReasonRow{CopiesUnknown::kRandomFaults, "random_faults",
              "faults come at random, and some of them lead to copies"},
    ReasonRow{CopiesUnknown::kList, "list", "a list of actions says so (copies=yes)"},
    ReasonRow{CopiesUnknown::kNoPositions, "no_positions",
              "the test reads its CQEs by itself, and some of them may be missing"},
    ReasonRow{CopiesUnknown::kGaveUp, "gave_up",
              "the test ended before all that it would have received was there"},
    ReasonRow{CopiesUnknown::kStartedAgain, "started_again",
              "the NIC started again in between, and had no rule before its driver put it back"},
};

constexpr const auto& rows_of(Uncounted) {
    return kUncounted;
}
constexpr const auto& rows_of(CopiesUnknown) {
    return kCopiesUnknown;
}

// The row of a reason; that of an unknown one is empty.
template <typename Reason>
constexpr ReasonRow<Reason> row_of_reason(Reason reason) {
    for (const auto& row : rows_of(Reason{}))
        if (row.reason == reason) return row;
    return {};
}

}  // namespace zcrxlab
