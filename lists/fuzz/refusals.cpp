// Refusals: has a row for each registration and each request that the contract refuses.
#include "lists/fuzz/refusals.hpp"

#include <array>
#include <string>

namespace zcrxlab {

namespace {

constexpr std::array kRegistrations = {
    Refused{"reg.flags", 0x12, "EINVAL"},
    Refused{"reg.zcrx_id", 1, "EINVAL"},
    Refused{"reg.resv", 1, "EINVAL"},
    Refused{"reg.rq_entries", 0, "EINVAL"},
    Refused{"reg.rq_entries", 40000, "EINVAL"},
    Refused{"reg.if_rxq", 1, "EINVAL", true},
    Refused{"reg.if_idx", 1, "EINVAL", true},
    Refused{"area.offset", 1, "EINVAL"},
    Refused{"area.len", 0, "EFAULT"},
    Refused{"area.len", 5000, "EINVAL"},
    Refused{"area.addr", 0, "EFAULT"},
    Refused{"area.addr", 4096, "EFAULT"},
    Refused{"area.flags", 8, "EINVAL"},
    Refused{"area.flags", 1, "EINVAL", true},
    Refused{"area.resv", 1, "EINVAL"},
    Refused{"area.dmabuf_fd", 5, "EINVAL"},
    Refused{"region.id", 1, "EINVAL"},
    Refused{"region.size", 0, "EINVAL"},
    Refused{"region.mmap_offset", 4096, "EINVAL"},
    Refused{"region.flags", 0, "EFAULT"},
    Refused{"rx_buf_len", 2048, "EINVAL", true},
    Refused{"rx_buf_len", 5000, "EINVAL", true},
    Refused{"rx_buf_len", 8192, "EOPNOTSUPP", true},
};

constexpr std::array kRequests = {
    WrongRequest{"one_shot", "EINVAL"},
    WrongRequest{"unknown_flag", "EINVAL"},
    WrongRequest{"message_flags", "EINVAL"},
    WrongRequest{"address", "EINVAL"},
    WrongRequest{"address_2", "EINVAL"},
    WrongRequest{"address_3", "EINVAL"},
    WrongRequest{"unknown_ifq", "EINVAL"},
    WrongRequest{"no_descriptor", "EBADF"},
    WrongRequest{"buffer_selection", "EOPNOTSUPP"},
    WrongRequest{"ring", "ENOTSOCK"},
};

Action action_on(Verb verb, const std::string& name) {
    Action action;
    action.verb = verb;
    action.name = name;
    return action;
}

}  // namespace

std::span<const Refused> refused_registrations() {
    return kRegistrations;
}

std::span<const WrongRequest> wrong_requests() {
    return kRequests;
}

std::vector<Action> refused_registration(Random& random, bool device, std::string_view ring) {
    std::vector<Action> actions;
    Action bad = action_on(Verb::kRegister, "bad");
    if (device) bad.set("device", "yes");
    if (random.percent(8)) {
        // Its CQEs have no room for an offset.
        Action small = action_on(Verb::kRing, "small");
        small.set("cqes", "16");
        actions.push_back(std::move(small));
        bad.set("ring", "small");
        bad.set("expect", "EINVAL");
    } else {
        const Refused* refused = nullptr;
        do refused = &kRegistrations[random.below(kRegistrations.size())];
        while (device && refused->without_nic);
        bad.set("ring", ring);
        bad.set(refused->parameter, refused->value);
        bad.set("expect", refused->code);
    }
    actions.push_back(std::move(bad));
    return actions;
}

}  // namespace zcrxlab
