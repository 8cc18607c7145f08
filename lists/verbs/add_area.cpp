// add_area: gives an ifq one more area.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kAddAreaParameters[] = {
    {.name = "area",
     .kind = ValueKind::kNumber,
     .sentence = "bytes",
     .fallback = "64KiB",
     .most = kMostBytes},
    {.name = "memory",
     .kind = ValueKind::kWord,
     .sentence = "as for register",
     .fallback = "anonymous",
     .words = kMemory},
    {.name = "repeat",
     .kind = ValueKind::kNumber,
     .sentence = "as for register",
     .fallback = "2MiB",
     .least = 4096,
     .most = 1U << 30},
    kExpect,
};

constinit const VerbRow kAddAreaVerb = {
    .form = {.word = "add_area",
             .subject = Thing::kIfq,
             .sentence = "ZCRX_CTRL_ADD_AREA",
             .parameters = kAddAreaParameters},
    .player = &Player::add_area,
    .needs = [](const Action&) -> std::vector<Need> { return {Need::kAddArea}; },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"add_area"});
        c.need_control(4);
        const uint64_t repeat = action.word("memory") == "repeated" ? action.number("repeat") : 0;
        return c_line("ifq_add_area",
                      {c.variable(action.name), std::to_string(action.number("area")),
                       std::to_string(repeat), c.memory(action), errno_text(action.expected())});
    },
    .from_trace = FromTrace{.events = "AreaRegistered"},
    .fuzzer = NotBecause{"its model counts the buffers of one area"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
