// return: gives buffers back, or entries that name no buffer.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kReturnParameters[] = {
    {.name = "count",
     .kind = ValueKind::kNumber,
     .sentence = "CQEs; left out: all that are held",
     .least = 1,
     .most = 1U << 20},
    {.name = "order",
     .kind = ValueKind::kWord,
     .sentence = "which first",
     .fallback = "oldest",
     .words = "oldest|newest"},
    {.name = "as",
     .kind = ValueKind::kWord,
     .sentence = "as they are, each twice, or so many entries that name nothing",
     .fallback = "valid",
     .words = "valid|twice|bad_area|bad_index|bad_padding"},
};

constinit const VerbRow kReturnVerb = {
    .form = {.word = "return",
             .subject = Thing::kIfq,
             .sentence = "gives buffers back through the refill ring",
             .parameters = kReturnParameters},
    .player = &Player::give_back,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string ifq = c.variable(action.name);
        const std::string as = action.word("as");
        const std::string count =
            action.has("count") ? std::to_string(action.number("count")) : "~0U";
        if (as == "valid" || as == "twice")
            return c_line("return_held",
                          {ifq + "->ring", ifq, count, action.word("order") == "newest" ? "1" : "0",
                           as == "twice" ? "1" : "0"});
        c.need({"senseless"});
        const std::string offset = as == "bad_area"    ? "77ULL << 48"
                                   : as == "bad_index" ? ifq + "->area_size[0]"
                                                       : "0";
        return c_line("return_senseless", {ifq, count, offset, as == "bad_padding" ? "1" : "0"});
    },
    .from_trace = FromTrace{.events = "BufferReturned", .noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::senseless(): entries that name nothing; exhaust(): all that is held"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
