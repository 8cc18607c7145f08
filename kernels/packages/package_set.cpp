// Fetches package sets.
#include "kernels/packages/package_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/defer.hpp"
#include "harness/base/program.hpp"
#include "kernels/packages/manifest.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

Result<void> require_space(const Cache& cache, const std::vector<PackageFile>& files,
                           const PackageSet& set) {
    uint64_t need = 0;
    for (const PackageFile& file : files) need += file.size * set.growth;
    return cache.require(need, set.title);
}

bool is_or_is_below(const fs::path& path, const fs::path& folder) {
    const auto [end, ignored] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

void prune_below(const fs::path& root, const fs::path& relative,
                 const std::vector<fs::path>& kept) {
    std::error_code code;
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(root / relative, code))
        entries.push_back(relative / entry.path().filename());
    for (const fs::path& entry : entries) {
        const bool inside = kept.empty() || std::any_of(kept.begin(), kept.end(), [&](auto& keep) {
                                return is_or_is_below(entry, keep);
                            });
        const bool leads_there = std::any_of(
            kept.begin(), kept.end(), [&](auto& keep) { return is_or_is_below(keep, entry); });
        const fs::path full = root / entry;
        const auto status = fs::symlink_status(full, code);
        if (!inside && !leads_there) {
            fs::remove_all(full, code);
        } else if (fs::is_directory(status)) {
            prune_below(root, entry, kept);
        } else if (fs::is_regular_file(status)) {
            fs::permissions(full, fs::perms::set_uid | fs::perms::set_gid, fs::perm_options::remove,
                            code);
        }
    }
}

// Checked files and where they are, in the same order.
struct Downloaded {
    std::vector<PackageFile> files;
    std::vector<fs::path> paths;
};

Result<Downloaded> download(const Cache& cache, PrivateApt& apt, const PackageSet& set,
                            const Progress& progress) {
    auto files = apt.resolve(set.request);
    if (!files) return files.error();
    if (const auto space = require_space(cache, *files, set); !space) return space.error();
    auto paths = apt.download(set.request, *files, set.title, progress);
    if (!paths) return paths.error();
    return Downloaded{std::move(*files), std::move(*paths)};
}

}  // namespace

Result<fs::path> fetch_package_set(const Cache& cache, PrivateApt& apt, const PackageSet& set,
                                   const Progress& progress) {
    auto downloaded = download(cache, apt, set, progress);
    if (!downloaded && (downloaded.error().code == ENOENT || downloaded.error().code == EIO)) {
        if (const auto lists = apt.refresh(progress); !lists) return lists.error();
        downloaded = download(cache, apt, set, progress);
    }
    if (!downloaded) return downloaded.error();
    const auto& [files, paths] = *downloaded;

    if (progress) progress("unpacking " + set.title);
    const auto folder = cache.temporary_folder();
    if (!folder) return folder.error();
    const Defer clean([&] {
        std::error_code code;
        fs::remove_all(*folder, code);
    });
    std::string list;
    for (size_t i = 0; i < paths.size(); ++i) {
        ProgramOptions options;
        options.stoppable = true;
        const auto run =
            run_program({"dpkg-deb", "-x", paths[i].string(), folder->string()}, options);
        if (!run) return run.error();
        if (run->exit_code != 0)
            return Error{
                EIO, "Unpacking " + paths[i].string() + " failed: " + last_lines(run->output, 2)};
        const PackageFile& file = files[i];
        list += fmt::format("{} {} {}:{}\n", file.name, file.size, file.algorithm, file.digest);
    }
    prune(*folder, set.kept);
    if (set.add)
        if (const auto added = set.add(*folder); !added) return added.error();
    if (const auto written = write_whole(*folder / "packages.txt", list); !written)
        return written.error();
    if (const auto written = write_manifest(*folder); !written) return written.error();
    if (const auto placed = cache.place(*folder, set.place); !placed) return placed.error();
    for (const fs::path& path : paths) {
        std::error_code code;
        fs::remove(path, code);
    }
    return cache.root() / set.place;
}

void prune(const fs::path& root, const std::vector<fs::path>& kept) {
    prune_below(root, {}, kept);
}

}  // namespace zcrxlab
