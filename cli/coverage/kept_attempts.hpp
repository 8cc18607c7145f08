// What was found about mistakes is kept in --out, so that a run that is broken off can go on there.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"
#include "results/coverage/attempts.hpp"

namespace zcrxlab {

// --out, or where results go without it. It is made.
Result<std::filesystem::path> folder_of_attempts(const std::filesystem::path& wanted);

// What was found before under the same terms, without what may be otherwise now: what could not be
// tried, and what a person set aside. Nothing if there is none; EEXIST if it was found under
// others.
Result<Attempts> kept_attempts(const std::filesystem::path& out, const std::string& terms);

// What was tried and not noticed in `folder`, of the same sources: those that `terms` begins with.
// ENOENT if nothing was found there; EEXIST if it is about other sources.
Result<Attempts> left_attempts(const std::filesystem::path& folder, const std::string& sources);

// Keeps what was found so far, should the rest be broken off: all of it, and beside it, in a folder
// of its own, a record that kept_attempts() takes up as well.
Result<void> keep_attempts(const std::filesystem::path& out, const Attempts& attempts);

// Says how many were noticed, and where the results are; the exit code: 0 all were noticed, 1 some
// were not, 64 some could not be tried.
int say_score(const std::vector<Attempt>& attempts, const std::filesystem::path& out);

}  // namespace zcrxlab
