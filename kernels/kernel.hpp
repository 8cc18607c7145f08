// Kernels: which there are, and the files of one of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// A kernel that can be booted.
struct Kernel {
    std::string release;            // as uname -r says, "7.3.4+deb13-cloud-amd64"
    std::filesystem::path image;    // bzImage
    std::filesystem::path modules;  // folder holding kernel/ and modules.builtin; may be empty
    std::string origin;  // for people: "system", "cache", "Debian trixie-backports", path
    std::filesystem::path set = {};  // its package set in the cache; empty: it is not from there
};

// A kernel that could be had.
struct KernelChoice {
    std::string version;    // what --kernel takes, "7.3.4"
    std::string flavour;    // "cloud-amd64" or "amd64"
    std::string suite;      // where from; "system" or a path for local ones
    bool cached = false;    // on this machine already
    bool standard = false;  // the one that is taken by default
    bool unlisted = false;  // its modules are in no list, and checked by the kernel itself
};

// The kernel for what the user said: "" (the default), a version ("7.2.12", or a series "7.2" for
// its newest), a bzImage file, a folder (a kernel build tree or an unpacked package), or the name
// of a kernel that `zcrxlab kernel build` has made. Downloads only what is not cached. ENOENT with
// the nearest choices if there is no such kernel. `flavour`: that of a stock kernel, "amd64", where
// `wanted` names none; empty: the standard one.
Result<Kernel> find_kernel(const std::string& wanted, const Progress& progress,
                           std::string_view flavour = {});

// Everything that can be had, oldest first. Package lists older than a day are refreshed; where the
// mirror does not answer, this says so to `progress` and goes on with what is known.
Result<std::vector<KernelChoice>> list_kernels(const Progress& progress);

// The same without asking the mirror.
Result<std::vector<KernelChoice>> known_kernels();

}  // namespace zcrxlab
