// Reads package lists and unpacked kernels below the cache.
#include "kernels/kernel_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/file.hpp"
#include "kernels/local_kernels.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/packages/package_set.hpp"
#include "kernels/standard.hpp"
#include "kernels/unlisted_modules.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = "kernels";
constexpr const char* kChangelogs = "changelogs";
constexpr size_t kListLimit = size_t{1} << 20;

fs::path list_file(const Cache& cache, const std::string& suite) {
    return cache.root() / "lists" / (suite + ".kernels");
}

Result<PrivateApt> apt_for(const Cache& cache, const std::string& suite) {
    const auto archive = find_archive(cache);
    if (!archive) return archive.error();
    return PrivateApt::open(cache.root() / "apt" / suite, *archive, {suite});
}

}  // namespace

std::vector<CachedKernel> KernelStore::cached() const {
    std::vector<CachedKernel> kernels;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(cache_.root() / kKernels, code)) {
        // The folder is called VERSION-FLAVOUR: a candidate's own release does not tell it.
        std::string_view flavour;
        const std::string name = entry.path().filename().string();
        const auto version = Version::parse(name, &flavour);
        auto kernel = kernel_from_folder(entry.path(), cache_);
        if (!version || !flavour.starts_with('-') || !kernel) continue;
        kernel->origin = "cache";
        kernel->set = entry.path();
        kernels.push_back({*version, std::string(flavour.substr(1)), std::move(*kernel)});
    }
    std::sort(kernels.begin(), kernels.end(), [](const auto& left, const auto& right) {
        if (left.version != right.version) return left.version < right.version;
        return left.flavour < right.flavour;
    });
    return kernels;
}

std::vector<PackagedKernel> KernelStore::listed(const std::string& suite) const {
    const auto text = read_file(list_file(cache_, suite), kListLimit);
    if (!text) return {};
    return packaged_kernels_from_text(*text, suite);
}

std::chrono::seconds KernelStore::list_age(const std::string& suite) const {
    std::error_code code;
    const auto written = fs::last_write_time(list_file(cache_, suite), code);
    if (code) return std::chrono::seconds::max();
    return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                            written);
}

Result<void> KernelStore::refresh(const std::string& suite, const Progress& progress) const {
    auto apt = apt_for(cache_, suite);
    if (!apt) return apt.error();
    const Progress with_suite = [&](const std::string& line) {
        if (progress) progress(line + " of " + suite);
    };
    if (const auto done = apt->refresh(with_suite); !done) return done.error();
    const auto records = apt->records();
    if (!records) return records.error();
    return write_whole(list_file(cache_, suite),
                       packaged_kernels_text(packaged_kernels(*records, suite)));
}

Result<Kernel> KernelStore::fetch(const PackagedKernel& kernel, const Progress& progress) const {
    auto apt = apt_for(cache_, kernel.suite);
    if (!apt) return apt.error();
    PackageSet set;
    set.place = fs::path(kKernels) / fmt::format("{}-{}", kernel.version.text(), kernel.flavour);
    set.title = "kernel " + kernel_name(kernel.version, kernel.flavour);
    for (const std::string& package : kernel.packages)
        set.request.packages.push_back(package + "=" + kernel.package_version);
    set.kept = {"boot", "lib/modules", "usr/lib/modules"};
    if (!kernel.unlisted.empty())
        set.add = [&](const fs::path& folder) -> Result<void> {
            const auto image = kernel_from_folder(folder, cache_);
            if (!image) return image.error();
            return add_unlisted_modules(cache_, *apt, kernel, image->release, folder, progress);
        };
    const fs::path there = cache_.root() / set.place;
    std::error_code code;
    if (progress && fs::exists(there, code) && !kernel_from_folder(there, cache_))
        progress(there.string() + " holds no kernel any more. It is fetched anew.");
    const auto folder = fetch_package_set(cache_, *apt, set, progress);
    if (!folder) return folder.error();
    auto unpacked = kernel_from_folder(*folder, cache_);
    if (!unpacked) return unpacked.error();
    unpacked->origin = "Debian " + kernel.suite;
    unpacked->set = *folder;
    return unpacked;
}

fs::path KernelStore::cached_changelog(const std::string& name) const {
    std::error_code code;
    const fs::path documents = cache_.root() / kChangelogs / name / "usr/share/doc";
    for (const auto& package : fs::directory_iterator(documents, code)) {
        fs::path file = package.path() / "changelog.Debian.gz";
        if (fs::is_regular_file(file, code)) return file;
    }
    return {};
}

Result<fs::path> KernelStore::fetch_changelog(const PackagedKernel& kernel,
                                              const Progress& progress) const {
    const std::string name = kernel_name(kernel.version, kernel.flavour);
    const Error none{ENOENT, "Debian's packages of kernel " + name + " hold no changelog."};
    // The other packages have a link to the documents of this one.
    const auto holder = std::ranges::find_if(kernel.packages, [](const std::string& package) {
        return package.starts_with("linux-base-");
    });
    if (holder == kernel.packages.end()) {
        if (kernel.unlisted.empty()) return none;
        // A kernel verifies its modules by its own key; nothing does that for a text.
        return Error{ENOENT, "The package that holds the changelog of kernel " + name +
                                 " is in no signed list any more, so nothing verifies it."};
    }
    auto apt = apt_for(cache_, kernel.suite);
    if (!apt) return apt.error();
    PackageSet set;
    set.place = fs::path(kChangelogs) / name;
    set.title = "the changelog of kernel " + name;
    set.request.packages = {*holder + "=" + kernel.package_version};
    set.kept = {"usr/share/doc"};
    const auto folder = fetch_package_set(cache_, *apt, set, progress);
    if (!folder) return folder.error();
    if (fs::path file = cached_changelog(name); !file.empty()) return file;
    return none;
}

const CachedKernel* newest_match(const std::vector<CachedKernel>& kernels, const KernelWish& wish) {
    const std::string flavour =
        wish.flavour.empty() ? std::string(standard::kKernelFlavour) : wish.flavour;
    const CachedKernel* best = nullptr;
    for (const CachedKernel& kernel : kernels) {
        if (kernel.kernel.release == wish.release) return &kernel;
        if (wish.foreign || kernel.flavour != flavour) continue;
        if (!kernel.version.in_series(wish.version)) continue;
        if (best == nullptr || best->version < kernel.version) best = &kernel;
    }
    return best;
}

}  // namespace zcrxlab
