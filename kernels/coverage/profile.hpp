// Profile: the gcov data files of a run, as results folders keep them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"
#include "kernels/coverage/coverage.hpp"

namespace zcrxlab {

struct Profile {
    std::string object;  // path of the .gcda file in the build, below whatever folder that was in
    std::string bytes;
};

// One line of profile.jsonl, as a guest sent it. EPROTO if it is none, or names a path that leads
// elsewhere.
Result<Profile> parse_profile(std::string_view line);

// Lets gcov judge `profile` beside the notes of the kernel built in `build`, and adds what it says.
// ENOENT if that build has no such object.
Result<void> add_profile(Coverage& coverage, const Profile& profile,
                         const std::filesystem::path& build, const std::string& tree);

}  // namespace zcrxlab
