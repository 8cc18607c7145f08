// ring: sets up a ring.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kRingParameters[] = {
    {.name = "sq",
     .kind = ValueKind::kNumber,
     .sentence = "entries of the SQ",
     .fallback = "64",
     .least = 1,
     .most = 32768},
    {.name = "cq",
     .kind = ValueKind::kNumber,
     .sentence = "entries of the CQ",
     .fallback = "1024",
     .least = 1,
     .most = 65536},
    {.name = "cqes",
     .kind = ValueKind::kWord,
     .sentence = "32 = CQE32, mixed = CQE_MIXED, 16 = neither",
     .fallback = "32",
     .words = "32|mixed|16"},
    {.name = "defer",
     .kind = ValueKind::kWord,
     .sentence = "DEFER_TASKRUN",
     .fallback = "yes",
     .words = "yes|no"},
    kExpect,
};

constinit const VerbRow kRingVerb = {
    .form = {.word = "ring",
             .subject = Thing::kRing,
             .makes = true,
             .sentence = "sets up a ring with SINGLE_ISSUER",
             .parameters = kRingParameters},
    .player = &Player::make_ring,
    .needs = [](const Action& action) -> std::vector<Need> {
        // A kernel that refuses what it does not know is as good as any for a refusal.
        if (action.expected() == 0 && action.word("cqes") == "mixed") return {Need::kCqeMixed};
        return {};
    },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string cqes = action.word("cqes");
        const std::string flags = cqes == "32"      ? "SETUP_CQE32"
                                  : cqes == "mixed" ? "SETUP_CQE_MIXED"
                                                    : "0";
        return c.make(
            "struct ring *", action,
            c_call("ring_open",
                   {std::to_string(action.number("sq")), std::to_string(action.number("cq")),
                    (action.yes("defer") ? "SETUP_DEFER_TASKRUN | " : "") + flags,
                    errno_text(action.expected())}));
    },
    .from_trace = FromTrace{.events = "IfqRegistered", .noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Part::make_ring(): CQs that are often small"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
