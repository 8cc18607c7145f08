// Holds the release against what is known of each bug.
#include "cli/conform/bugs_of_kernel.hpp"

#include "kernels/bugs/standing.hpp"
#include "kernels/bugs/stated_release.hpp"

namespace zcrxlab {

std::vector<StallingBug> stalling_bugs(std::span<const FixedBug> bugs, std::string_view release,
                                       std::string_view driver) {
    const StatedRelease stated = stated_release(release, "");
    std::vector<StallingBug> has;
    for (const FixedBug* bug : told_bugs(bugs))
        if (stops_streams(bug->id) && (bug->driver.empty() || bug->driver == driver) &&
            standing_of(*bug, stated).standing == Standing::kAffected)
            has.push_back({bug->id, bug->user_sees});
    return has;
}

}  // namespace zcrxlab
