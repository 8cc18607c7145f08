// Chooses kernels from those that can be had, and divides runs among machines.
#include "results/matrix/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/number.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/release.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {

namespace {

struct Stock {
    Version version;
    std::string name;  // as --kernel takes it
};

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    for (size_t at = 0; at <= list.size();) {
        const size_t end = std::min(list.find(',', at), list.size());
        if (end > at) words.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// The stock kernels of a flavour, oldest first, each once.
std::vector<Stock> stock_of(const std::vector<KernelChoice>& choices, const std::string& flavour) {
    const Version oldest = *Version::parse(kOldestMatrixKernel);
    std::vector<Stock> stock;
    for (const KernelChoice& choice : choices) {
        const auto version = Version::parse(choice.version);
        if (!version || choice.flavour != flavour || *version < oldest) continue;
        // Those of the system have names that another machine may not know.
        if (choice.suite == "system" || kernel_name(*version, flavour) != choice.version) continue;
        stock.push_back({*version, choice.version});
    }
    std::ranges::stable_sort(
        stock, [](const Stock& left, const Stock& right) { return left.version < right.version; });
    stock.erase(std::unique(stock.begin(), stock.end(),
                            [](const Stock& a, const Stock& b) { return a.name == b.name; }),
                stock.end());
    return stock;
}

// 7.3.4 and 7.3-rc7 are of the series 7.3.
std::pair<unsigned, unsigned> series_of(const Version& version) {
    return {version.numbers.at(0), version.numbers.size() > 1 ? version.numbers[1] : 0};
}

std::vector<Stock> newest_of_each(const std::vector<Stock>& stock) {
    std::map<std::pair<unsigned, unsigned>, Stock> newest;
    for (const Stock& kernel : stock) newest[series_of(kernel.version)] = kernel;
    std::vector<Stock> list;
    for (auto& [series, kernel] : newest) list.push_back(std::move(kernel));
    return list;
}

std::optional<Version> whole_version(std::string_view text) {
    std::string_view rest;
    auto version = Version::parse(text, &rest);
    if (!rest.empty()) version.reset();
    return version;
}

// What one word of the list names; empty if nothing.
std::vector<Stock> named(const std::string& word, const std::vector<Stock>& stock,
                         const std::vector<KernelChoice>& choices, const std::string& flavour) {
    if (word == "all") return stock;
    if (word == "newest") return newest_of_each(stock);
    std::vector<Stock> found;
    if (const size_t dots = word.find(".."); dots != std::string::npos) {
        const auto first = whole_version(std::string_view(word).substr(0, dots));
        const auto last = whole_version(std::string_view(word).substr(dots + 2));
        if (!first || !last) return found;
        for (const Stock& kernel : stock)
            if (!(kernel.version < *first) &&
                (kernel.version < *last || kernel.version.in_series(*last)))
                found.push_back(kernel);
        return found;
    }
    const bool whole = word.ends_with(".*");
    const auto series = whole_version(whole ? word.substr(0, word.size() - 2) : word);
    for (const Stock& kernel : stock)
        if (series && kernel.version.in_series(*series)) found.push_back(kernel);
    if (!found.empty() && !whole) found.erase(found.begin(), found.end() - 1);
    if (!found.empty()) return found;
    // Another flavour, or one of the system, by its full name; or one that is too old.
    const std::string name = series ? kernel_name(*series, flavour) : word;
    for (const KernelChoice& choice : choices)
        if (choice.version == name) return {{*Version::parse(name), name}};
    return found;
}

// The stock kernel of this name as the NIC needs it.
std::string kernel_for(const std::string& kernel, const std::string& nic) {
    const auto version = whole_version(kernel);
    return version ? kernel_name(*version, flavour_for(nic)) : kernel;
}

}  // namespace

Result<std::vector<std::string>> wanted_kernels(const std::string& list,
                                                const std::vector<KernelChoice>& choices,
                                                std::string_view flavour) {
    const std::string wanted_flavour(flavour);
    const std::vector<Stock> stock = stock_of(choices, wanted_flavour);
    std::vector<Stock> wanted;
    std::vector<std::string> paths;
    std::vector<std::string> words = words_of(list);
    if (words.empty()) words = {"newest"};
    for (const std::string& word : words) {
        if (word.find('/') != std::string::npos) {
            if (std::ranges::find(paths, word) == paths.end()) paths.push_back(word);
            continue;
        }
        std::vector<Stock> found = named(word, stock, choices, wanted_flavour);
        if (found.empty())
            return Error{ENOENT, "There is no stock kernel \"" + word +
                                     "\"; to see all, type: zcrxlab kernels. A path has a slash."};
        wanted.insert(wanted.end(), found.begin(), found.end());
    }
    std::ranges::stable_sort(
        wanted, [](const Stock& left, const Stock& right) { return left.version < right.version; });
    std::vector<std::string> names;
    for (const Stock& kernel : wanted)
        if (std::ranges::find(names, kernel.name) == names.end()) names.push_back(kernel.name);
    names.insert(names.end(), paths.begin(), paths.end());
    return names;
}

Result<std::vector<std::string>> wanted_nics(const std::string& list,
                                             const std::vector<std::string>& known) {
    std::vector<std::string> nics;
    for (const std::string& word : words_of(list)) {
        if (std::ranges::find(known, word) == known.end())
            return Error{EINVAL, fmt::format("There is no NIC \"{}\"; there are {}.", word,
                                             fmt::join(known, ", "))};
        if (std::ranges::find(nics, word) == nics.end()) nics.push_back(word);
    }
    if (nics.empty()) return known;
    return nics;
}

std::string flavour_for(const std::string& nic) {
    const NicRow* row = find_nic(nic);
    const bool standard = row == nullptr || row->kernel_flavour.empty();
    return std::string(standard ? standard::kKernelFlavour : row->kernel_flavour);
}

std::vector<PlannedRun> planned_runs(const std::vector<std::string>& kernels,
                                     const std::vector<std::string>& nics) {
    std::vector<PlannedRun> runs;
    for (auto kernel = kernels.rbegin(); kernel != kernels.rend(); ++kernel)
        for (const std::string& nic : nics) {
            PlannedRun run{kernel_for(*kernel, nic), nic};
            if (std::ranges::find(runs, run) == runs.end()) runs.push_back(std::move(run));
        }
    return runs;
}

Result<MachineShare> MachineShare::parse(const std::string& text) {
    const size_t slash = std::min(text.find('/'), text.size());
    const auto number = number_from<unsigned>(text.substr(0, slash), 1);
    const auto of = number_from<unsigned>(text.substr(std::min(slash + 1, text.size())), 1);
    if (!number || !of || *number > *of)
        return Error{EINVAL, "\"" + text + "\" is no share; the second of three is --shard 2/3"};
    return MachineShare{*number, *of};
}

std::vector<PlannedRun> share_of(const std::vector<PlannedRun>& runs, const MachineShare& share) {
    std::vector<std::string> nics;
    for (const PlannedRun& run : runs)
        if (std::ranges::find(nics, run.nic) == nics.end()) nics.push_back(run.nic);
    std::vector<PlannedRun> mine;
    size_t dealt = 0;
    for (const std::string& nic : nics) {
        for (const PlannedRun& run : runs) {
            if (run.nic != nic) continue;
            const size_t round = dealt / share.of, seat = dealt % share.of;
            ++dealt;
            if ((round % 2 == 0 ? seat : share.of - 1 - seat) == share.number - 1)
                mine.push_back(run);
        }
    }
    return mine;
}

}  // namespace zcrxlab
