// Parameters: those that several verbs have.
#pragma once

#include <cstdint>

#include "lists/language/form.hpp"

namespace zcrxlab {

inline constexpr uint64_t kMost32 = UINT32_MAX;
inline constexpr uint64_t kMostBytes = uint64_t{1} << 40;

inline constexpr Parameter kExpect{.name = "expect",
                                   .kind = ValueKind::kErrno,
                                   .sentence = "the errno that is promised; any = none is",
                                   .fallback = "success"};

inline constexpr Parameter kWithin{.name = "within",
                                   .kind = ValueKind::kNumber,
                                   .sentence = "milliseconds that it may take",
                                   .fallback = "10000",
                                   .least = 1,
                                   .most = 600'000};

inline constexpr std::string_view kMemory = "anonymous|huge|transparent|memfd|huge_memfd|repeated";

// "yes" or "no"; no by default.
constexpr Parameter yes_or_no(std::string_view name, std::string_view sentence) {
    return {.name = name,
            .kind = ValueKind::kWord,
            .sentence = sentence,
            .fallback = "no",
            .words = "yes|no"};
}

// The name of an earlier thing, which has to be there.
constexpr Parameter name_of_a(Thing thing, std::string_view name, std::string_view sentence) {
    return {.name = name,
            .kind = ValueKind::kName,
            .sentence = sentence,
            .thing = thing,
            .required = true};
}

}  // namespace zcrxlab
