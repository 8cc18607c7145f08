// Standing: whether a release has a bug. Pure, from the data of the bug alone.
#pragma once

#include <string>
#include <string_view>

#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/bugs/stated_release.hpp"

namespace zcrxlab {

enum class Standing {
    kAffected,
    kFixed,
    kNeverHad,  // the release is older than the bug
    kNotKnown,
};

struct BugStanding {
    Standing standing = Standing::kNotKnown;
    std::string because;  // "fixed in 6.18.16"; without a full stop
};

// "affected", "fixed", "never had it" and "not known".
std::string_view name_of(Standing standing);

BugStanding standing_of(const FixedBug& bug, const Version& version);
// kNotKnown with its reason where the release states no version.
BugStanding standing_of(const FixedBug& bug, const StatedRelease& release);

}  // namespace zcrxlab
