// Writes what has changed between two kernels as text for people.
#pragma once

#include <string>

#include "results/bisect/changelog.hpp"

namespace zcrxlab {

// The changes that are about zero-copy receive, those nearest to it first, and how many others
// there are; then what the changelog does not tell. Ends with a newline.
std::string relevant_text(const KernelChanges& changes, const std::string& older,
                          const std::string& newer);

// All of them, version by version.
std::string full_text(const KernelChanges& changes, const std::string& older,
                      const std::string& newer);

// Where the changes are without Debian's changelog: the addresses of upstream's, if both kernels
// are of one series, and a command for a tree of the stable kernels. `older` and `newer` are
// versions, "7.2.13" or "7.3-rc7". Ends with a newline.
std::string upstream_text(const std::string& older, const std::string& newer);

}  // namespace zcrxlab
