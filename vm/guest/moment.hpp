// Moment: what a guest that goes on from a file needs to know of now: the time, and randomness that
// no other guest of that file has.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct Moment {
    timespec time{};                    // CLOCK_REALTIME
    std::array<uint8_t, 64> entropy{};  // for the guest's random number generator
};

// Of this machine, now. The errno of getrandom().
Result<Moment> moment_now();

// "SECONDS NANOSECONDS HEX\n"
std::string to_text(const Moment& moment);
// EINVAL if it is none.
Result<Moment> moment_from_text(std::string_view text);

}  // namespace zcrxlab
