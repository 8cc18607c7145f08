// Archive: where Debian packages come from (a mirror) and what proves that they are Debian's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

struct Archive {
    std::string mirror;             // as in sources.list, "http://mirror/debian"
    std::filesystem::path keyring;  // Debian's archive keys
};

// $ZCRXLAB_MIRROR, else the Debian mirror that this machine's apt is set to, with the keyring of
// the package debian-archive-keyring: the installed one, else a copy of that package that this
// machine's apt fetches (and checks). ENOENT with what to type where there is none.
Result<Archive> find_archive(const Cache& cache);

// The parts of find_archive that are pure functions.

// The Debian mirror among lines "URI|RELEASE|ORIGIN", as `apt-get indextargets` gives them: that of
// the release itself rather than of updates or security. Empty if there is none.
std::string mirror_of_index_targets(const std::string& lines);

// The same from the output of `apt-get update --print-uris`, which needs no package lists.
// `codename` is the machine's Debian release.
std::string mirror_of_update_uris(const std::string& output, const std::string& codename);

// The value of `key` in the text of an os-release file, without quotes.
std::string os_release_value(const std::string& text, const std::string& key);

// Whether `mirror` can stand in sources.list.
bool acceptable_mirror(const std::string& mirror);

}  // namespace zcrxlab
