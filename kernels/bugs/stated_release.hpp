// StatedRelease: the release of kernel.org that a kernel says it is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/packages/version.hpp"

namespace zcrxlab {

struct StatedRelease {
    // "7.3.4" of "7.3.4+deb13-cloud-amd64"; nothing where it cannot be told.
    std::optional<Version> version;
    std::string why_not = {};  // a sentence, if there is no version
};

// `release` is a version of kernel.org ("7.3.4", "7.3-rc7"), what uname -r says, what --kernel
// takes ("7.3.4-amd64"), or a version of Debian's package ("6.12.57-1", "7.3.4-1~bpo13+1").
// `banner` is what uname -v says, where Debian's older kernels have the version that their name
// lacks; may be empty.
//
// Who else builds kernels takes fixes without a release of kernel.org, so their names say nothing
// of bugs.
StatedRelease stated_release(std::string_view release, std::string_view banner);

}  // namespace zcrxlab
