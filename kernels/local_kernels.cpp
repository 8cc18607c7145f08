// Finding images and modules in the places where kernels are laid down.
#include "kernels/local_kernels.hpp"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "harness/base/file.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/bzimage.hpp"
#include "kernels/release.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTreeImage = "arch/x86/boot/bzImage";
constexpr size_t kBuiltinLimit = size_t{16} << 20;

bool is_folder(const fs::path& path) {
    std::error_code code;
    return fs::is_directory(path, code);
}

bool is_file(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code);
}

bool is_modules_folder(const fs::path& path) {
    return is_folder(path / "kernel") || is_file(path / "modules.builtin");
}

// The modules of `release` in a tree that is laid out as a system is.
fs::path modules_below(const fs::path& root, const std::string& release) {
    for (const char* base : {"usr/lib/modules", "lib/modules"})
        if (const fs::path folder = root / base / release; is_modules_folder(folder)) return folder;
    return {};
}

// A build tree keeps its modules beside their sources. Give it the shape of an installed modules
// folder: "kernel" is the tree itself.
Result<fs::path> tree_as_modules(const fs::path& tree, const Cache& cache) {
    if (!is_file(tree / "modules.builtin") && !is_file(tree / "modules.order")) return fs::path{};
    const std::string place = std::to_string(std::hash<std::string>{}(tree.string()));
    const fs::path view = cache.root() / "trees" / place;
    std::error_code code;
    fs::create_directories(view, code);
    if (code) return error_from_errno("create " + view.string(), code.value());
    const auto link = [&view](const char* name, const fs::path& target) {
        // Another run may do the same at this moment; both links say the same.
        std::error_code ignored;
        if (fs::read_symlink(view / name, ignored) == target) return;
        fs::remove(view / name, ignored);
        fs::create_symlink(target, view / name, ignored);
    };
    link("kernel", tree);
    for (const char* name : {"modules.builtin", "modules.order", "modules.builtin.modinfo"})
        if (is_file(tree / name)) link(name, tree / name);
    return view;
}

Result<fs::path> modules_of_tree(const fs::path& tree, const std::string& release,
                                 const Cache& cache) {
    // Where "make modules_install INSTALL_MOD_PATH=." has put them, if it was run.
    if (auto installed = modules_below(tree, release); !installed.empty()) return installed;
    return tree_as_modules(tree, cache);
}

Result<Kernel> kernel_from_tree(const fs::path& tree, const Cache& cache) {
    const auto release = bzimage_release(tree / kTreeImage);
    if (!release) return release.error();
    const auto modules = modules_of_tree(tree, *release, cache);
    if (!modules) return modules.error();
    return Kernel{*release, tree / kTreeImage, *modules, tree.string()};
}

// All kernels whose image is in `root`/boot or beside its modules.
std::vector<Kernel> kernels_below(const fs::path& root, const std::string& origin) {
    std::vector<Kernel> kernels;
    const auto add = [&](const fs::path& image, const fs::path& near_modules) {
        const auto release = bzimage_release(image);
        if (!release) return;
        const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& kernel) {
            return kernel.release == *release;
        });
        if (known) return;
        fs::path modules = near_modules;
        if (modules.empty()) modules = modules_below(root, *release);
        kernels.push_back(Kernel{*release, image, modules, origin});
    };
    std::error_code code;
    for (const char* base : {"usr/lib/modules", "lib/modules"})
        for (const auto& entry : fs::directory_iterator(root / base, code))
            if (is_file(entry.path() / "vmlinuz")) add(entry.path() / "vmlinuz", entry.path());
    for (const auto& entry : fs::directory_iterator(root / "boot", code))
        if (entry.path().filename().string().starts_with("vmlinuz-") && is_file(entry.path()))
            add(entry.path(), {});
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& left, const Kernel& right) {
        const auto left_version = Version::parse(left.release);
        const auto right_version = Version::parse(right.release);
        if (left_version && right_version && *left_version != *right_version)
            return *left_version < *right_version;
        return left.release < right.release;
    });
    return kernels;
}

bool ends_with(const fs::path& path, const fs::path& tail) {
    const auto length = std::distance(path.begin(), path.end());
    const auto tail_length = std::distance(tail.begin(), tail.end());
    if (length < tail_length) return false;
    return std::equal(tail.begin(), tail.end(), std::next(path.begin(), length - tail_length));
}

// `folder` without its last `count` parts.
fs::path ancestor(fs::path folder, int count) {
    for (; count > 0; --count) folder = folder.parent_path();
    return folder;
}

}  // namespace

Result<Kernel> kernel_from_image(const fs::path& file, const Cache& cache) {
    std::error_code code;
    const fs::path image = fs::absolute(file, code).lexically_normal();
    const auto release = bzimage_release(image);
    if (!release) return release.error();
    Kernel kernel{*release, image, {}, image.string()};
    if (ends_with(image, kTreeImage)) {
        const auto modules = modules_of_tree(ancestor(image, 4), *release, cache);
        if (!modules) return modules.error();
        kernel.modules = *modules;
    } else if (is_modules_folder(image.parent_path())) {
        kernel.modules = image.parent_path();
    } else {
        kernel.modules = modules_below(ancestor(image, 2), *release);
        if (kernel.modules.empty()) kernel.modules = modules_below("/", *release);
    }
    return kernel;
}

Result<Kernel> kernel_from_folder(const fs::path& named, const Cache& cache) {
    std::error_code code;
    fs::path folder = fs::absolute(named, code).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    if (is_file(folder / kTreeImage)) return kernel_from_tree(folder, cache);
    if (is_file(folder / "vmlinuz") && is_modules_folder(folder))
        return kernel_from_image(folder / "vmlinuz", cache);
    auto kernels = kernels_below(folder, folder.string());
    if (!kernels.empty()) return std::move(kernels.back());
    if (is_file(folder / "Kbuild") && is_folder(folder / "arch/x86"))
        return Error{ENOENT, folder.string() +
                                 " is a kernel tree that has not been built. Type: make -C " +
                                 folder.string() + " -j$(nproc) bzImage modules"};
    return Error{ENOENT, "There is no kernel in " + folder.string() + ": neither " + kTreeImage +
                             " nor boot/vmlinuz-RELEASE nor "
                             "usr/lib/modules/RELEASE/vmlinuz."};
}

std::vector<Kernel> installed_kernels(const fs::path& root) {
    return kernels_below(root, "system");
}

bool has_driver(const Kernel& kernel, std::string_view module) {
    if (kernel.modules.empty()) return false;
    const std::string file = std::string(module) + ".ko";
    const auto built_in = read_file(kernel.modules / "modules.builtin", kBuiltinLimit);
    if (built_in && built_in->find("/" + file) != std::string::npos) return true;
    // Lists also name modules that a distribution keeps in another package; the file decides.
    std::error_code code;
    const fs::path drivers = kernel.modules / "kernel" / "drivers";
    for (auto it = fs::recursive_directory_iterator(drivers, code);
         !code && it != fs::recursive_directory_iterator(); it.increment(code))
        if (it->path().filename().string().starts_with(file)) return true;
    return false;
}

bool serves_as_standard(const Kernel& kernel) {
    const auto version = Version::parse(kernel.release);
    return version && *version >= *Version::parse(default_nic().oldest_kernel) &&
           ::access(kernel.image.c_str(), R_OK) == 0 && has_driver(kernel, default_nic().driver);
}

}  // namespace zcrxlab
