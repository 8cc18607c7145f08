// nic: changes settings of the NIC.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kNicParameters[] = {
    {.name = "mtu", .kind = ValueKind::kNumber, .sentence = "bytes", .least = 68, .most = 65535},
    {.name = "rx",
     .kind = ValueKind::kNumber,
     .sentence = "entries of the receive rings",
     .least = 1,
     .most = 65536},
    {.name = "queues",
     .kind = ValueKind::kNumber,
     .sentence = "receive and transmit queues",
     .least = 1,
     .most = 64},
    {.name = "split", .kind = ValueKind::kWord, .sentence = "header split", .words = "on|off"},
    kExpect,
};

constinit const VerbRow kNicVerb = {
    .form = {.word = "nic",
             .sentence = "changes settings of the NIC",
             .parameters = kNicParameters},
    .player = &Player::change_nic,
    .needs = [](const Action&) -> std::vector<Need> { return {Need::kDevice}; },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        if (action.has("split"))
            return cannot_be_c(
                action, "header split is set through netlink, which would be longer than the rest");
        std::string text;
        for (const char* what : {"mtu", "rx", "queues"}) {
            if (!action.has(what)) continue;
            const std::string function = std::string("nic_") + what;
            c.need({"device", "nic_request", function});
            text += c_line(function,
                           {std::to_string(action.number(what)), errno_text(action.expected())});
        }
        return text;
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = NotBecause{"its model does not know what a NIC refuses while zcrx has its queues"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
