// export: makes a descriptor of an ifq, a box, that other rings can import.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kExportParameters[] = {name_of_a(Thing::kIfq, "ifq", "what"), kExpect};

constinit const VerbRow kExportVerb = {
    .form = {.word = "export",
             .subject = Thing::kBox,
             .makes = true,
             .sentence = "ZCRX_CTRL_EXPORT: a descriptor that other rings can import",
             .parameters = kExportParameters},
    .player = &Player::make_box,
    .needs = [](const Action&) -> std::vector<Need> { return {Need::kExport}; },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"box"});
        c.need_control(2);
        c.put_into_box(action.name, action.word("ifq"));
        return c.make(
            "int", action,
            c_call("ifq_export", {c.variable(action.word("ifq")), errno_text(action.expected())}));
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer =
        ByFuzzer{
            ByFuzzer::Nic::kAny,
            "Model::export_ifq(): the first thread's ifq, for a thread, a process or a later ring"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
