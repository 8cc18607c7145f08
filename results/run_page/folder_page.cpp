// Looks for what can be linked, and writes the page as a whole.
#include "results/run_page/folder_page.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/file.hpp"
#include "results/run_page/run_page.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

struct KnownFile {
    const char* file;
    const char* name;
};

// Those of commands' own are called as their manuals say.
constexpr std::array<KnownFile, 13> kKnown{{{"trace.html", "trace"},
                                            {"coverage.html", "coverage"},
                                            {"mutations.html", "mistakes in the kernel"},
                                            {"matrix.html", "matrix"},
                                            {"results.xml", "results.xml"},
                                            {"kernel.log", "kernel log"},
                                            {"console.log", "console"},
                                            {"program.log", "program"},
                                            {"peer.log", "peer"},
                                            {"zcrx.txt", "zero-copy receive"},
                                            {"exec.json", "exec.json"},
                                            {"wire.pcapng", "capture"},
                                            {"device.log", "device log"}}};

// As part of an address. A folder's name may have anything in it.
std::string address_of(const std::string& path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    constexpr std::string_view kPlain = "._-/";
    std::string address;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
        if (plain)
            address += c;
        else
            address += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return address;
}

std::vector<PageLink> links_to(const fs::path& folder, const fs::path& page) {
    std::vector<PageLink> links;
    std::error_code error;
    for (const auto& [file, name] : kKnown) {
        const fs::path there = folder / file;
        if (!fs::exists(there, error) || fs::equivalent(there, page, error)) continue;
        const fs::path from = fs::absolute(page, error).parent_path();
        const fs::path relative = fs::absolute(there, error).lexically_relative(from);
        links.push_back({name, address_of(relative.string())});
    }
    return links;
}

}  // namespace

Result<void> write_page(const RunSummary& run, const fs::path& folder, const fs::path& page) {
    const std::string html = run_page(run, links_to(folder, page));
    errno = 0;
    std::ofstream file(page, std::ios::binary | std::ios::trunc);
    file << html << std::flush;
    if (!file) return error_from_errno("write " + page.string(), errno != 0 ? errno : EIO);
    return {};
}

Result<void> write_page_of_folder(const fs::path& folder, const fs::path& page,
                                  const std::function<RunSummary(RunSummary)>& fit) {
    const Result<std::string> text = read_file(folder / "results.json");
    if (!text)
        return Error{ENOENT, "There is no results.json in " + folder.string() +
                                 "; name the --out of a run, of conform or of exec."};
    Result<RunSummary> run = summary_from_json(*text);
    if (!run) return run.error();
    return write_page(fit(std::move(*run)), folder, page);
}

}  // namespace zcrxlab
