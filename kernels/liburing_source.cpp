// Finding and fetching liburing's source package.
#include "kernels/liburing_source.hpp"

#include <algorithm>

#include "harness/base/program.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// Where the newest liburing is.
constexpr const char* kLiburingSuite = "sid";
constexpr const char* kLiburingPlace = "sources/liburing";

bool is_upstream_archive(const fs::path& file) {
    return file.filename().string().find(".orig.tar.") != std::string::npos &&
           file.extension() != ".asc";
}

}  // namespace

Result<fs::path> find_liburing_source(const Progress& progress) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const fs::path place = cache->root() / kLiburingPlace;
    if (fs::exists(place)) return place;

    const auto lock = cache->lock(progress);
    if (!lock) return lock.error();
    if (fs::exists(place)) return place;
    const auto mirror = find_archive(*cache);
    if (!mirror) return mirror.error();
    auto apt = PrivateApt::open(cache->root() / "apt" / (std::string(kLiburingSuite) + "-source"),
                                *mirror, {kLiburingSuite}, PackageKind::kSource);
    if (!apt) return apt.error();
    if (auto refreshed = apt->refresh(progress); !refreshed) return refreshed.error();
    const auto files = apt->download_source("liburing", progress);
    if (!files) return files.error();
    const auto archive = std::find_if(files->begin(), files->end(), is_upstream_archive);
    if (archive == files->end())
        return Error{ENOENT, "Debian's source of liburing holds no upstream archive."};

    const auto folder = cache->temporary_folder();
    if (!folder) return folder.error();
    const auto unpacked = run_program(
        {"tar", "-x", "--strip-components=1", "-f", archive->string(), "-C", folder->string()});
    if (!unpacked) return unpacked.error();
    if (unpacked->exit_code != 0)
        return Error{
            EIO, "Unpacking " + archive->string() + " failed: " + last_lines(unpacked->output, 2)};
    if (auto placed = cache->place(*folder, kLiburingPlace); !placed) return placed.error();
    return place;
}

}  // namespace zcrxlab
