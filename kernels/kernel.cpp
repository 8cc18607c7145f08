// find_kernel and list_kernels: what the user said, the system, the cache and the archive, in
// order.
#include "kernels/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/bzimage.hpp"
#include "kernels/kernel_store.hpp"
#include "kernels/local_kernels.hpp"
#include "kernels/packages/manifest.hpp"
#include "kernels/release.hpp"
#include "kernels/standard.hpp"
#include "kernels/unlisted_modules.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// For a kernel that is named and not in the list: it may have come in the meantime.
constexpr auto kListsStayComplete = std::chrono::hours(1);
constexpr size_t kNearestCount = 6;

std::string first_suite() {
    return std::string(standard::kKernelSuites.front());
}

std::vector<PackagedKernel> all_listed(const KernelStore& store) {
    std::vector<PackagedKernel> all;
    for (const std::string_view suite : standard::kKernelSuites)
        for (PackagedKernel& kernel : store.listed(std::string(suite)))
            all.push_back(std::move(kernel));
    return all;
}

KernelWish standard_wish(std::string_view flavour) {
    return {*Version::parse(standard::kKernelSeries), std::string(flavour), "", false};
}

// What is there without the network: null where a download is needed.
const Kernel* local_match(const std::vector<Kernel>& installed,
                          const std::vector<CachedKernel>& cached, const std::string& wanted,
                          const KernelWish& wish) {
    if (wanted.empty() && wish.flavour == standard::kKernelFlavour) {
        const auto fit = std::find_if(installed.rbegin(), installed.rend(), serves_as_standard);
        if (fit != installed.rend()) return &*fit;
    } else {
        for (const Kernel& kernel : installed)
            if (kernel.release == wish.release) return &kernel;
    }
    const CachedKernel* kernel = newest_match(cached, wish);
    return kernel != nullptr ? &kernel->kernel : nullptr;
}

std::optional<PackagedKernel> listed_match(const std::vector<PackagedKernel>& kernels,
                                           const std::string& wanted, const KernelWish& wish) {
    return wanted.empty() ? standard_match(kernels, wish.flavour) : newest_match(kernels, wish);
}

std::vector<KernelChoice> choices_of(const KernelStore& store) {
    std::vector<KernelChoice> choices;
    const auto installed = installed_kernels("/");
    const auto cached = store.cached();
    for (const Kernel& kernel : installed)
        choices.push_back(
            {kernel.release, flavour_of_release(kernel.release), "system", true, false});
    const auto known = [&choices](const std::string& name) {
        return std::any_of(choices.begin(), choices.end(),
                           [&](const KernelChoice& choice) { return choice.version == name; });
    };
    const auto in_cache = [&cached](const Version& version, const std::string& flavour) {
        return std::any_of(cached.begin(), cached.end(), [&](const CachedKernel& kernel) {
            return kernel.version == version && kernel.flavour == flavour;
        });
    };
    const auto listed = all_listed(store);
    for (const PackagedKernel& kernel : listed) {
        const std::string name = kernel_name(kernel.version, kernel.flavour);
        if (!known(name))
            choices.push_back({name, kernel.flavour, kernel.suite,
                               in_cache(kernel.version, kernel.flavour), false,
                               !kernel.unlisted.empty()});
    }
    for (const CachedKernel& kernel : cached) {
        const std::string name = kernel_name(kernel.version, kernel.flavour);
        if (!known(name))
            choices.push_back(
                {name, kernel.flavour, "cache", true, false, has_unlisted_modules(kernel.kernel)});
    }

    // The one that find_kernel("") takes.
    std::string standard;
    const std::string flavour(standard::kKernelFlavour);
    if (const Kernel* local = local_match(installed, cached, "", standard_wish(flavour))) {
        standard = local->release;
        for (const CachedKernel& kernel : cached)
            if (&kernel.kernel == local) standard = kernel_name(kernel.version, kernel.flavour);
    } else if (const auto kernel = standard_match(store.listed(first_suite()), flavour)) {
        standard = kernel_name(kernel->version, kernel->flavour);
    }
    for (KernelChoice& choice : choices) choice.standard = choice.version == standard;

    std::stable_sort(choices.begin(), choices.end(), [](const auto& left, const auto& right) {
        const auto left_version = Version::parse(left.version);
        const auto right_version = Version::parse(right.version);
        return left_version && right_version && *left_version < *right_version;
    });
    return choices;
}

Error no_such_kernel(const KernelStore& store, const std::string& wanted, const KernelWish& wish) {
    const auto nearest = nearest_choices(choices_of(store), wish, kNearestCount);
    if (nearest.empty())
        return Error{ENOENT, fmt::format("There is no kernel {}. What there is: "
                                         "vm/zcrxlab kernels",
                                         wanted)};
    return Error{ENOENT, fmt::format("There is no kernel {}; the nearest are {}. What there is: "
                                     "vm/zcrxlab kernels",
                                     wanted, fmt::join(nearest, ", "))};
}

// Whether what is there can be booted.
Result<void> check_kernel(const Kernel& kernel) {
    if (auto whole = check_bzimage_length(kernel.image); !whole) return whole;
    return kernel.set.empty() ? Result<void>() : check_manifest(kernel.set, Look::kSizesAndTimes);
}

// That of a file or folder.
Result<Kernel> named_kernel(const fs::path& named, const Cache& cache) {
    std::error_code code;
    auto kernel = fs::is_directory(named, code) ? kernel_from_folder(named, cache)
                                                : kernel_from_image(named, cache);
    if (!kernel) return kernel;
    if (auto whole = check_kernel(*kernel); !whole) return whole.error();
    return kernel;
}

Result<Kernel> fetch_wanted(const KernelStore& store, const std::string& wanted,
                            const KernelWish& wish, const Progress& progress) {
    const auto lock = store.cache().lock(progress);
    if (!lock) return lock.error();
    // Another run may have fetched it while this one waited for the lock.
    const auto cached = store.cached();
    const CachedKernel* there = newest_match(cached, wish);
    if (there != nullptr && check_kernel(there->kernel)) return there->kernel;

    const size_t suites = wanted.empty() ? 1 : standard::kKernelSuites.size();
    for (size_t i = 0; i < suites && !wish.foreign; ++i) {
        const std::string suite(standard::kKernelSuites[i]);
        // A list that is a day old may lack a new kernel; one that names the kernel will do.
        auto listed = store.listed(suite);
        if (!listed_match(listed, wanted, wish)) {
            if (store.list_age(suite) < kListsStayComplete) continue;
            const auto anew = store.refresh(suite, progress);
            // Not every mirror has the later suites.
            if (!anew && i == 0) return anew.error();
            listed = store.listed(suite);
        }
        if (const auto kernel = listed_match(listed, wanted, wish))
            return store.fetch(*kernel, progress);
    }
    return no_such_kernel(store, wanted.empty() ? "of series " + wish.version.text() : wanted,
                          wish);
}

}  // namespace

Result<Kernel> find_kernel(const std::string& wanted, const Progress& progress,
                           std::string_view flavour) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    std::error_code code;
    if (!wanted.empty()) {
        if (fs::exists(wanted, code)) return named_kernel(wanted, *cache);
        if (wanted.find('/') != std::string::npos)
            return Error{ENOENT, "There is no file or folder " + wanted + "."};
        if (const fs::path built = cache->root() / "built" / wanted; fs::is_directory(built, code))
            return named_kernel(built, *cache);
    }
    if (flavour.empty()) flavour = standard::kKernelFlavour;
    KernelWish wish = standard_wish(flavour);
    if (!wanted.empty()) {
        const auto parsed = KernelWish::parse(wanted);
        if (!parsed) return parsed.error();
        wish = *parsed;
        if (wish.flavour.empty()) wish.flavour = flavour;
    }
    const KernelStore store(*cache);
    const auto installed = installed_kernels("/");
    const auto cached = store.cached();
    if (const Kernel* kernel = local_match(installed, cached, wanted, wish)) {
        const Result<void> whole = check_kernel(*kernel);
        if (whole) return *kernel;
        if (kernel->set.empty() || whole.error().code == EINTR) return whole.error();
        if (progress) progress(whole.error().sentence + " It is fetched anew.");
    }
    return fetch_wanted(store, wanted, wish, progress);
}

Result<std::vector<KernelChoice>> list_kernels(const Progress& progress) {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    const KernelStore store(*cache);
    const bool stale = std::any_of(
        standard::kKernelSuites.begin(), standard::kKernelSuites.end(),
        [&](auto suite) { return store.list_age(std::string(suite)) >= kListsStayFresh; });
    if (stale) {
        const auto lock = store.cache().lock(progress);
        if (!lock) return lock.error();
        for (const std::string_view name : standard::kKernelSuites) {
            const std::string suite(name);
            if (store.list_age(suite) < kListsStayFresh) continue;
            const auto anew = store.refresh(suite, progress);
            // Without the network there is still what was known, and what is on this machine.
            if (!anew && progress) progress(anew.error().sentence);
        }
    }
    return choices_of(store);
}

Result<std::vector<KernelChoice>> known_kernels() {
    const auto cache = Cache::from_environment();
    if (!cache) return cache.error();
    return choices_of(KernelStore(*cache));
}

}  // namespace zcrxlab
