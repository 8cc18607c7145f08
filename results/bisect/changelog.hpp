// Changelog: Debian's changelog of a kernel as data, and what one kernel has that another has not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/packages/version.hpp"

namespace zcrxlab {

// One version of the package.
struct ChangelogEntry {
    std::string version;               // "7.3.3-1"
    std::vector<std::string> changes;  // each on one line, as its author titled it
    // What came with it without being told change by change: the address of an upstream release, or
    // the sentence about it.
    std::vector<std::string> untold = {};
};

// The entries of debian/changelog (deb-changelog(5)), the newest first. What is none is left out.
std::vector<ChangelogEntry> parse_changelog(std::string_view text);

// Debian's branches part where a series does: the older kernel may have what the newer has not.
struct KernelChanges {
    std::vector<ChangelogEntry> newer;  // of the newer kernel alone, the newest first
    std::vector<ChangelogEntry> older;  // of the older kernel alone
};

// Where they have no entry in common, as an empty `older_log` has none, everything above `older` is
// the newer kernel's.
KernelChanges changes_between(const std::vector<ChangelogEntry>& older_log, const Version& older,
                              const std::vector<ChangelogEntry>& newer_log);

// Whether a change is about what zero-copy receive is made of: 0 for zcrx itself, more for what is
// further away; nothing for the rest.
std::optional<size_t> relevance(std::string_view change);

}  // namespace zcrxlab
