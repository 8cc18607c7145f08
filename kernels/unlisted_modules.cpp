// Fetches packages that no list names, and takes modules out of them.
#include "kernels/unlisted_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "harness/base/defer.hpp"
#include "harness/base/program.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// Where the archive has the packages that are made of the source package "linux".
constexpr const char* kPool = "pool/main/l/linux";
// In a folder of modules that has come so. What finds a kernel by its folder finds this, too.
constexpr const char* kMark = "modules.unlisted";
constexpr const char* kMarkText =
    "No signed list names the packages of these modules. Whoever boots this kernel has to give it\n"
    "module.sig_enforce=1, so that it checks each of them by its own key.\n";
// Two packages of the larger flavour, and what is in them.
constexpr uint64_t kNeededBytes = 400'000'000;

constexpr std::array<std::string_view, 3> kLists = {"modules.builtin", "modules.builtin.modinfo",
                                                    "modules.order"};
constexpr std::array<std::string_view, 4> kEndings = {".ko", ".ko.xz", ".ko.gz", ".ko.zst"};

fs::path folder_of(const std::string& release) {
    return fs::path("usr/lib/modules") / release;
}

// Of a file's place in the folder of a release.
bool is_module_or_list(const fs::path& place) {
    const std::string text = place.string();
    if (std::ranges::find(kLists, text) != kLists.end()) return true;
    return text.starts_with("kernel/") &&
           std::ranges::any_of(kEndings, [&](std::string_view end) { return text.ends_with(end); });
}

Result<void> take_from(const Cache& cache, const fs::path& package, const std::string& release,
                       const fs::path& set) {
    const auto folder = cache.temporary_folder();
    if (!folder) return folder.error();
    const Defer clean([&] {
        std::error_code code;
        fs::remove_all(*folder, code);
        fs::remove(package, code);
    });
    ProgramOptions options;
    options.stoppable = true;
    const auto run = run_program({"dpkg-deb", "-x", package.string(), folder->string()}, options);
    if (!run) return run.error();
    if (run->exit_code != 0)
        return Error{EIO,
                     "Unpacking " + package.string() + " failed: " + last_lines(run->output, 2)};
    return take_modules(*folder, release, set);
}

}  // namespace

Result<void> take_modules(const fs::path& unpacked, const std::string& release,
                          const fs::path& set) {
    std::error_code code;
    bool any = false;
    // Goes through no link.
    auto it = fs::recursive_directory_iterator(unpacked, code);
    for (; !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        const fs::path relative = it->path().lexically_relative(unpacked);
        const fs::path place = relative.lexically_relative(folder_of(release));
        if (!fs::is_regular_file(it->symlink_status(code)) || !is_module_or_list(place)) continue;
        fs::create_directories((set / relative).parent_path(), code);
        if (!code) fs::rename(it->path(), set / relative, code);
        if (code) return error_from_errno("move " + relative.string(), code.value());
        any = true;
    }
    if (code) return error_from_errno("read " + unpacked.string(), code.value());
    if (!any) return Error{EINVAL, "The package holds no modules of " + release + "."};
    return write_whole(set / folder_of(release) / kMark, kMarkText);
}

Result<void> add_unlisted_modules(const Cache& cache, PrivateApt& apt, const PackagedKernel& kernel,
                                  const std::string& release, const fs::path& set,
                                  const Progress& progress) {
    const std::string title = "modules of kernel " + release;
    if (auto space = cache.require(kNeededBytes, title); !space) return space;
    for (const std::string& name : kernel.unlisted) {
        const auto package = apt.download_unlisted(
            fmt::format("{}/{}_{}_amd64.deb", kPool, name, kernel.package_version), title,
            progress);
        if (!package) return package.error();
        if (auto taken = take_from(cache, *package, release, set); !taken) return taken;
    }
    return {};
}

bool has_unlisted_modules(const Kernel& kernel) {
    std::error_code code;
    return !kernel.modules.empty() && fs::exists(kernel.modules / kMark, code);
}

}  // namespace zcrxlab
