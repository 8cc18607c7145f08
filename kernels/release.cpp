// Parsing of package records and choosing among kernels.
#include "kernels/release.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>

#include "harness/nics/nic_table.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

constexpr std::string_view kCloud = "cloud-amd64";
constexpr std::string_view kGeneric = "amd64";
// Before a package in the text of a list.
constexpr std::string_view kUnlisted = "unlisted:";

// "linux-" KIND "-" RELEASE, split.
struct KernelPackageName {
    std::string kind;     // "image", "base", "binary", "modules"
    std::string release;  // "7.3.4+deb13-cloud-amd64"
};

std::string package_name(const std::string& kind, const std::string& release) {
    return "linux-" + kind + "-" + release;
}

std::optional<KernelPackageName> parse_package_name(std::string_view name) {
    for (const std::string_view kind : {"image", "base", "binary", "modules"}) {
        const std::string prefix = package_name(std::string(kind), "");
        if (!name.starts_with(prefix)) continue;
        const std::string release(name.substr(prefix.size()));
        if (release.empty() || release[0] < '0' || release[0] > '9') return std::nullopt;
        return KernelPackageName{std::string(kind), release};
    }
    return std::nullopt;
}

// The kernel's version in a package's: "7.3~rc7-1~exp1" is 7.3-rc7.
std::optional<Version> upstream_version(std::string_view package_version) {
    if (const size_t epoch = package_version.find(':'); epoch != std::string_view::npos)
        package_version.remove_prefix(epoch + 1);
    return Version::parse(package_version);
}

struct Record {
    std::string package;
    std::string version;
    uint64_t size = 0;
};

template <typename F>
void for_each_record(const std::string& records, F&& use) {
    Record record;
    const auto finish = [&] {
        if (!record.package.empty()) use(record);
        record = {};
    };
    size_t start = 0;
    while (start < records.size()) {
        const size_t end = std::min(records.find('\n', start), records.size());
        const std::string_view line(records.data() + start, end - start);
        if (line.empty()) {
            finish();
        } else if (line.starts_with("Package: ")) {
            record.package = line.substr(9);
        } else if (line.starts_with("Version: ")) {
            record.version = line.substr(9);
        } else if (line.starts_with("Size: ")) {
            std::from_chars(line.data() + 6, line.data() + line.size(), record.size);
        }
        start = end + 1;
    }
    finish();
}

void sort_oldest_first(std::vector<PackagedKernel>& kernels) {
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& left, const auto& right) {
        if (left.version != right.version) return left.version < right.version;
        // The cloud flavour after the generic one, so that the newest of all is the small one.
        return left.flavour < right.flavour;
    });
}

struct Variant {
    std::map<std::string, Record> kinds;  // by kind of package
};

// Of kernels that are all alike in where their modules come from.
std::optional<PackagedKernel> standard_of(const std::vector<PackagedKernel>& kernels,
                                          const std::string& flavour) {
    const auto series = *Version::parse(standard::kKernelSeries);
    const auto oldest = *Version::parse(default_nic().oldest_kernel);
    if (auto kernel = newest_match(kernels, KernelWish{series, flavour, "", false})) return kernel;
    std::optional<PackagedKernel> older;
    std::optional<PackagedKernel> newer;
    for (const PackagedKernel& kernel : kernels) {
        if (kernel.flavour != flavour || kernel.version.candidate) continue;
        if (kernel.version < oldest) continue;
        if (kernel.version < series) {
            if (!older || older->version < kernel.version) older = kernel;
        } else if (!newer || kernel.version < newer->version) {
            newer = kernel;
        }
    }
    return older ? older : newer;
}

}  // namespace

std::string flavour_of_release(std::string_view release) {
    if (!Version::parse(release)) return {};
    for (const std::string_view other : {"-rt-amd64", "-dbg", "-unsigned"})
        if (release.ends_with(other)) return {};
    if (release.ends_with("-" + std::string(kCloud))) return std::string(kCloud);
    if (release.ends_with("-" + std::string(kGeneric))) return std::string(kGeneric);
    return {};
}

std::string kernel_name(const Version& version, const std::string& flavour) {
    return version.text() + (flavour == standard::kKernelFlavour ? "" : "-" + flavour);
}

Result<KernelWish> KernelWish::parse(const std::string& text) {
    std::string_view name = text;
    if (name.starts_with("linux-image-")) name.remove_prefix(std::string("linux-image-").size());
    if (name.starts_with('v')) name.remove_prefix(1);
    std::string_view rest;
    const auto version = Version::parse(name, &rest);
    const std::string flavour = flavour_of_release(name);
    if (!version || (!rest.empty() && rest[0] != '-' && rest[0] != '+'))
        return Error{EINVAL, "\"" + text +
                                 "\" is no kernel: give a version (7.3.4, 7.3, 7.3.4-amd64), a " +
                                 "bzImage or a folder. What there is: vm/zcrxlab kernels"};
    const bool foreign = !rest.empty() && flavour.empty();
    return KernelWish{*version, flavour, std::string(name), foreign};
}

std::vector<PackagedKernel> packaged_kernels(const std::string& records, const std::string& suite) {
    std::map<std::pair<std::string, std::string>, Variant> variants;
    for_each_record(records, [&](const Record& record) {
        const auto name = parse_package_name(record.package);
        if (!name || flavour_of_release(name->release).empty()) return;
        variants[{name->release, record.version}].kinds[name->kind] = record;
    });
    std::vector<PackagedKernel> kernels;
    for (const auto& [key, variant] : variants) {
        const auto& [release, package_version] = key;
        const auto version = upstream_version(package_version);
        // Up to 6.18 one package holds all; later -image- is empty and three others hold it: -base-
        // has modules.builtin, without which nobody knows what needs no module.
        const bool split = variant.kinds.contains("binary");
        if (!version || (!split && !variant.kinds.contains("image"))) continue;
        PackagedKernel kernel;
        kernel.version = *version;
        kernel.flavour = flavour_of_release(release);
        kernel.suite = suite;
        kernel.package_version = package_version;
        const std::vector<std::string> holders =
            split ? std::vector<std::string>{"base", "binary", "modules"}
                  : std::vector<std::string>{"image"};
        for (const std::string& kind : holders) {
            const auto found = variant.kinds.find(kind);
            if (found == variant.kinds.end()) {
                kernel.unlisted.push_back(package_name(kind, release));
                continue;
            }
            kernel.packages.push_back(found->second.package);
            kernel.size += found->second.size;
        }
        kernels.push_back(std::move(kernel));
    }
    sort_oldest_first(kernels);
    return kernels;
}

std::string packaged_kernels_text(const std::vector<PackagedKernel>& kernels) {
    std::ostringstream text;
    for (const PackagedKernel& kernel : kernels) {
        text << kernel.version.text() << ' ' << kernel.flavour << ' ' << kernel.package_version
             << ' ' << kernel.size;
        for (const std::string& package : kernel.packages) text << ' ' << package;
        for (const std::string& package : kernel.unlisted) text << ' ' << kUnlisted << package;
        text << '\n';
    }
    return text.str();
}

std::vector<PackagedKernel> packaged_kernels_from_text(const std::string& text,
                                                       const std::string& suite) {
    std::vector<PackagedKernel> kernels;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        PackagedKernel kernel;
        std::string version;
        std::string package;
        fields >> version >> kernel.flavour >> kernel.package_version >> kernel.size;
        if (!fields) continue;
        while (fields >> package) {
            if (package.starts_with(kUnlisted))
                kernel.unlisted.push_back(package.substr(kUnlisted.size()));
            else
                kernel.packages.push_back(package);
        }
        const auto parsed = Version::parse(version);
        if (!parsed || kernel.packages.empty()) continue;
        kernel.version = *parsed;
        kernel.suite = suite;
        kernels.push_back(std::move(kernel));
    }
    sort_oldest_first(kernels);
    return kernels;
}

std::optional<PackagedKernel> newest_match(const std::vector<PackagedKernel>& kernels,
                                           const KernelWish& wish) {
    if (wish.foreign) return std::nullopt;
    const std::string flavour =
        wish.flavour.empty() ? std::string(standard::kKernelFlavour) : wish.flavour;
    std::optional<PackagedKernel> best;
    for (const PackagedKernel& kernel : kernels) {
        if (kernel.flavour != flavour || !kernel.version.in_series(wish.version)) continue;
        if (!best || best->version < kernel.version) best = kernel;
    }
    return best;
}

std::optional<PackagedKernel> standard_match(const std::vector<PackagedKernel>& kernels,
                                             const std::string& flavour) {
    std::vector<PackagedKernel> listed;
    std::ranges::copy_if(kernels, std::back_inserter(listed),
                         [](const PackagedKernel& kernel) { return kernel.unlisted.empty(); });
    const auto kernel = standard_of(listed, flavour);
    return kernel ? kernel : standard_of(kernels, flavour);
}

std::vector<std::string> nearest_choices(const std::vector<KernelChoice>& choices,
                                         const KernelWish& wish, size_t count) {
    const std::string flavour =
        wish.flavour.empty() ? std::string(standard::kKernelFlavour) : wish.flavour;
    std::vector<Version> versions;
    for (const KernelChoice& choice : choices) {
        const auto version = Version::parse(choice.version);
        if (version && choice.flavour == flavour) versions.push_back(*version);
    }
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    // A window of `count` around where the wish would stand, half of it below.
    const auto place = std::lower_bound(versions.begin(), versions.end(), wish.version);
    const auto below = static_cast<size_t>(place - versions.begin());
    size_t start = below > count / 2 ? below - count / 2 : 0;
    const size_t end = std::min(versions.size(), start + count);
    start = end > count ? std::min(start, end - count) : 0;
    std::vector<std::string> names;
    for (size_t i = start; i < end; ++i) names.push_back(kernel_name(versions[i], flavour));
    return names;
}

}  // namespace zcrxlab
