// PrivateApt: an apt of our own, with its own package lists below the cache, that needs no root and
// leaves the machine's apt alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/packages/archive.hpp"

namespace zcrxlab {

// One package file as apt would fetch it.
struct PackageFile {
    std::string name;       // file name, "linux-modules-7.3.4_7.3.4-1_amd64.deb"
    uint64_t size = 0;      // bytes
    std::string algorithm;  // "SHA256" or "SHA512"
    std::string digest;     // lower-case hex
};

// What apt is asked for.
struct PackageRequest {
    std::vector<std::string> packages;  // names, or "name=version"
    bool dependencies = false;          // and all that they need
    std::string preferred_suite;        // for dependencies; empty: apt's own choice
};

enum class PackageKind { kBinary, kSource };

class PrivateApt {
  public:
    // Writes the configuration below `folder`. Fetches nothing. The caller holds the cache's lock
    // for as long as it uses this.
    static Result<PrivateApt> open(const std::filesystem::path& folder, const Archive& archive,
                                   const std::vector<std::string>& suites,
                                   PackageKind kind = PackageKind::kBinary);

    // apt-get update: EIO with apt's own words if the mirror cannot be reached or a signature is
    // wrong.
    Result<void> refresh(const Progress& progress);

    // The records of all packages in the lists, as in a Packages file.
    Result<std::string> records();

    // The files that a request means. ENOENT if a package is not in the lists.
    Result<std::vector<PackageFile>> resolve(const PackageRequest& request);

    // Fetches them and checks size and digest of each: what is returned is what was signed. A file
    // that is there and wrong is fetched again. EIO if a file stays wrong, or cannot be had.
    Result<std::vector<std::filesystem::path>> download(const PackageRequest& request,
                                                        const std::vector<PackageFile>& files,
                                                        const std::string& title,
                                                        const Progress& progress);

    // Fetches a file that the archive has and that no list names: nothing proves what is in it.
    // `path` is relative to the mirror, "pool/main/l/linux/NAME.deb". ENOENT if it is not there, or
    // cannot be had.
    Result<std::filesystem::path> download_unlisted(const std::string& path,
                                                    const std::string& title,
                                                    const Progress& progress);

    // The files of the newest source package `package`, fetched and checked by apt. ENOENT if the
    // lists of an apt for sources do not have it.
    Result<std::vector<std::filesystem::path>> download_source(const std::string& package,
                                                               const Progress& progress);

  private:
    PrivateApt(std::filesystem::path folder, std::string mirror)
        : folder_(std::move(folder)), mirror_(std::move(mirror)) {}

    std::filesystem::path downloads() const;
    std::vector<std::string> command(const std::string& program) const;
    std::vector<std::string> fetch_command(const PackageRequest& request) const;
    Result<void> fetch(const PackageRequest& request, uint64_t total_size, const std::string& title,
                       const Progress& progress);

    std::filesystem::path folder_;
    std::string mirror_;
};

// The package files in the output of apt-get --print-uris. EPROTO if one has no digest, or a name
// that would lead out of the folder for downloads.
Result<std::vector<PackageFile>> parse_print_uris(const std::string& output);

// The percentage in one line of apt's status protocol, "dlstatus:3:25.1505:…"; negative if the line
// is none.
double parse_download_status(const std::string& line);

// The error lines (E: and W:) of apt's output as one line; empty if there are none.
std::string apt_complaints(const std::string& output);

// Whether `file` has this size and this digest.
Result<bool> is_intact(const std::filesystem::path& file, const PackageFile& expected);

// "36.5 MB"
std::string megabytes(uint64_t bytes);

}  // namespace zcrxlab
