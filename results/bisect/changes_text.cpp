// Writes changes between kernels as text.
#include "results/bisect/changes_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kPaths =
    "io_uring net/core net/ipv4/tcp*.c include/net/page_pool drivers/net/ethernet/google/gve "
    "drivers/net/ethernet/broadcom/bnxt";

struct Told {
    size_t distance;
    std::string version, text;
};

struct Sorted {
    std::vector<Told> relevant;  // the nearest first
    size_t others = 0;
};

Sorted sorted(const std::vector<ChangelogEntry>& entries) {
    Sorted result;
    for (const ChangelogEntry& entry : entries)
        for (const std::string& change : entry.changes) {
            if (const auto distance = relevance(change))
                result.relevant.push_back({*distance, entry.version, on_one_line(change)});
            else
                ++result.others;
        }
    std::ranges::stable_sort(result.relevant, {}, &Told::distance);
    return result;
}

std::string counted(size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string relevant_of(const std::vector<ChangelogEntry>& entries, const std::string& kernel,
                        const std::string& other) {
    if (entries.empty()) return {};
    const Sorted found = sorted(entries);
    std::string text = fmt::format(
        "Debian's changelog tells of {} in {} that {} not in {}; {} about io_uring, page pools, "
        "TCP or a NIC with zero-copy receive{}\n",
        counted(found.relevant.size() + found.others, "change", "changes"), kernel,
        found.relevant.size() + found.others == 1 ? "is" : "are", other,
        counted(found.relevant.size(), "is", "are"), found.relevant.empty() ? "." : ":");
    for (const Told& change : found.relevant)
        text += fmt::format("  {:<14} {}\n", change.version, change.text);
    return text;
}

std::string untold_of(const std::vector<ChangelogEntry>& entries) {
    std::string text;
    for (const ChangelogEntry& entry : entries)
        for (const std::string& source : entry.untold)
            text += fmt::format("  {:<14} {}\n", entry.version, on_one_line(source));
    return text;
}

std::string full_of(const std::vector<ChangelogEntry>& entries, const std::string& kernel,
                    const std::string& other) {
    std::string text = fmt::format("In {}, and not in {}\n", kernel, other);
    for (const ChangelogEntry& entry : entries) {
        text += "\n" + on_one_line(entry.version) + "\n";
        for (const std::string& source : entry.untold)
            text += fmt::format("  not told one by one: {}\n", on_one_line(source));
        for (const std::string& change : entry.changes)
            text += fmt::format("  {} {}\n", relevance(change) ? "*" : "-", on_one_line(change));
    }
    return text;
}

unsigned number_at(const Version& version, size_t index) {
    return index < version.numbers.size() ? version.numbers[index] : 0;
}

}  // namespace

std::string relevant_text(const KernelChanges& changes, const std::string& older,
                          const std::string& newer) {
    std::string text = relevant_of(changes.newer, newer, older);
    text += relevant_of(changes.older, older, newer);
    if (text.empty()) text = "Debian's changelog tells of nothing that differs.\n";
    if (const std::string untold = untold_of(changes.newer); !untold.empty())
        text += "What it does not tell one by one:\n" + untold;
    return text;
}

std::string full_text(const KernelChanges& changes, const std::string& older,
                      const std::string& newer) {
    return "* is about io_uring, page pools, TCP or a NIC with zero-copy receive.\n\n" +
           full_of(changes.newer, newer, older) + "\n\n" + full_of(changes.older, older, newer);
}

std::string upstream_text(const std::string& older, const std::string& newer) {
    std::string text;
    const auto first = Version::parse(older), last = Version::parse(newer);
    if (first && last && !first->candidate && !last->candidate &&
        number_at(*first, 0) == number_at(*last, 0) && number_at(*first, 1) == number_at(*last, 1))
        for (unsigned stable = number_at(*first, 2) + 1; stable <= number_at(*last, 2); ++stable)
            text += fmt::format(
                "  https://www.kernel.org/pub/linux/kernel/v{0}.x/ChangeLog-{0}.{1}.{2}\n",
                number_at(*last, 0), number_at(*last, 1), stable);
    if (!text.empty()) text = "Upstream's changelogs:\n" + text;
    return text + fmt::format("In a tree of the stable kernels: git log --oneline v{}..v{} -- {}\n",
                              older, newer, kPaths);
}

}  // namespace zcrxlab
