// Kernel releases and what users say for them: parsing, matching, choosing, the nearest ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packages/version.hpp"

namespace zcrxlab {

// What --kernel names, if it is no path: "7.3", "7.3.4", "7.3-rc7", "7.3.4-amd64", or a whole
// release as uname -r gives it.
struct KernelWish {
    Version version;
    std::string flavour;   // "cloud-amd64", "amd64"; empty: the standard one
    std::string release;   // the text itself, to be compared with whole releases
    bool foreign = false;  // a whole release that is not Debian's: only that very kernel is meant

    // EINVAL with an example if `text` is no version.
    static Result<KernelWish> parse(const std::string& text);
};

// A kernel in a package list, from the record of its package.
struct PackagedKernel {
    Version version;                    // of the kernel, 7.3.4
    std::string flavour;                // "cloud-amd64"
    std::string suite;                  // "trixie-backports"
    std::string package_version;        // "7.3.4-1~bpo13+1"
    std::vector<std::string> packages;  // those that hold image and modules
    uint64_t size = 0;                  // bytes to download, of what is listed
    // Those that hold its modules and that no list names any more (unlisted_modules.hpp).
    std::vector<std::string> unlisted = {};
};

// The kernels among the records of a Packages file (as apt-cache dumpavail prints it), oldest
// first. Unsigned, debug and real-time variants are left out.
std::vector<PackagedKernel> packaged_kernels(const std::string& records, const std::string& suite);

// The same as lines of text and back, to be kept in the cache. Lines that are none are left out.
std::string packaged_kernels_text(const std::vector<PackagedKernel>& kernels);
std::vector<PackagedKernel> packaged_kernels_from_text(const std::string& text,
                                                       const std::string& suite);

// The newest of `kernels` that `wish` names; nothing if none is.
std::optional<PackagedKernel> newest_match(const std::vector<PackagedKernel>& kernels,
                                           const KernelWish& wish);

// The kernel of a flavour that is taken by default: the newest of the standard series; where the
// archive has moved on, the newest older one that has what gve needs, else the oldest newer one.
// One whose modules no list names is taken only where there is no other.
std::optional<PackagedKernel> standard_match(const std::vector<PackagedKernel>& kernels,
                                             const std::string& flavour);

// Up to `count` versions of `choices` next to `wish`, oldest first, with the flavour where it is
// not the standard one.
std::vector<std::string> nearest_choices(const std::vector<KernelChoice>& choices,
                                         const KernelWish& wish, size_t count);

// What --kernel takes for this version and flavour.
std::string kernel_name(const Version& version, const std::string& flavour);

// The flavour at the end of a Debian release: "cloud-amd64" for "7.3.4+deb13-cloud-amd64"; empty if
// it is no Debian release.
std::string flavour_of_release(std::string_view release);

}  // namespace zcrxlab
