// Package sets: some packages unpacked side by side in one folder of the cache, whole or not there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

// Where packages keep libraries, and the program among them that starts one with a set's own.
inline constexpr const char* kPackageLibraries = "usr/lib/x86_64-linux-gnu";
inline constexpr const char* kPackageLoader = "ld-linux-x86-64.so.2";

struct PackageSet {
    std::filesystem::path place;  // relative to the cache, "kernels/7.3.4-cloud-amd64"
    std::string title;            // for people, "kernel 7.3.4"
    PackageRequest request;
    // Paths of the packages that are kept, relative to the root that they are made for. Anything
    // else is removed: nothing here is ever a system to log in to. Empty: all is kept.
    std::vector<std::filesystem::path> kept;
    // Space that it all takes at most, in sizes of the download.
    unsigned growth = 3;
    // Adds to what was unpacked, before it is written down what the set holds.
    std::function<Result<void>(const std::filesystem::path& folder)> add = {};
};

// Resolves, downloads, checks and unpacks with dpkg-deb -x, which runs no maintainer script. The
// caller holds the cache's lock. Lists that are not there, or name what the mirror no longer has,
// are fetched anew. Returns the folder, which has a manifest (manifest.hpp). ENOENT if there are no
// such packages, ENOSPC with a sentence if there is not enough space.
Result<std::filesystem::path> fetch_package_set(const Cache& cache, PrivateApt& apt,
                                                const PackageSet& set, const Progress& progress);

// Removes everything from `root` that is not below one of `kept`, and every set-user-ID bit.
void prune(const std::filesystem::path& root, const std::vector<std::filesystem::path>& kept);

}  // namespace zcrxlab
