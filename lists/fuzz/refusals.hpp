// Refusals: makes calls that the contract refuses, with the errno of each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lists/fuzz/random.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

struct Refused {
    std::string_view parameter;
    uint64_t value = 0;
    std::string_view code;
    bool without_nic = false;  // only of a registration with ZCRX_REG_NODEV
};

// Registrations, but for this one parameter good ones.
std::span<const Refused> refused_registrations();

// What "refuse" may say is wrong with a request, and its errno.
struct WrongRequest {
    std::string_view as;
    std::string_view code;
};
std::span<const WrongRequest> wrong_requests();

// Actions that are refused, on a ring called `ring`.
std::vector<Action> refused_registration(Random& random, bool device, std::string_view ring);

}  // namespace zcrxlab
