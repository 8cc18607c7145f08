// Writes down files, and compares.
#include "kernels/packages/manifest.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/base/program.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kManifestLimit = size_t{16} << 20;
constexpr size_t kDigits = 64;
// Of arguments of one program, whose total length is limited.
constexpr size_t kFilesAtOnce = 500;
constexpr const char* kFile = "file";
constexpr const char* kLink = "link";
constexpr const char* kEnd = "end";
constexpr const char* kDamaged = "damaged\n";

// The SHA-256 of each file, in this order; of one that cannot be read, an empty text.
Result<std::vector<std::string>> digests(const fs::path& folder,
                                         const std::vector<std::string>& paths) {
    std::vector<std::string> all;
    ProgramOptions there;
    there.folder = folder;
    there.stoppable = true;
    for (size_t first = 0; first < paths.size(); first += kFilesAtOnce) {
        std::vector<std::string> command{"sha256sum", "--"};
        const size_t last = std::min(paths.size(), first + kFilesAtOnce);
        command.insert(command.end(), paths.begin() + static_cast<std::ptrdiff_t>(first),
                       paths.begin() + static_cast<std::ptrdiff_t>(last));
        const auto run = run_program(command, there);
        if (!run) return run.error();
        // Complaints about files that cannot be read are among the lines.
        std::istringstream lines(run->output);
        std::vector<std::pair<std::string, std::string>> read;  // path, digest
        for (std::string line; std::getline(lines, line);)
            if (line.size() > kDigits + 2)
                read.emplace_back(line.substr(kDigits + 2), line.substr(0, kDigits));
        auto next = read.begin();
        for (size_t i = first; i < last; ++i) {
            const auto found = std::find_if(
                next, read.end(), [&](const auto& entry) { return entry.first == paths[i]; });
            all.push_back(found != read.end() ? found->second : "");
            if (found != read.end()) next = std::next(found);
        }
    }
    return all;
}

// The entry of what is at `path` now, without its digest; nothing if that is no file or link.
std::optional<ManifestEntry> look_at(const fs::path& folder, const std::string& path) {
    struct stat facts {};
    const fs::path full = folder / path;
    if (::lstat(full.c_str(), &facts) != 0) return std::nullopt;
    ManifestEntry entry;
    entry.path = path;
    entry.link = S_ISLNK(facts.st_mode);
    std::error_code code;
    if (entry.link) entry.content = fs::read_symlink(full, code).string();
    if (!entry.link && !S_ISREG(facts.st_mode)) return std::nullopt;
    if (entry.link) return entry;
    entry.size = static_cast<uint64_t>(facts.st_size);
    entry.time = fmt::format("{}.{:09}", facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
    return entry;
}

Error damaged(const fs::path& folder, const std::string& how) {
    return {EIO, fmt::format("{} is not as it was fetched: {}.", folder.string(), how)};
}

// Of a line, with tabs between them.
std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (size_t tab = 0; tab != std::string_view::npos;) {
        tab = line.find('\t');
        fields.emplace_back(line.substr(0, tab));
        if (tab != std::string_view::npos) line.remove_prefix(tab + 1);
    }
    return fields;
}

// What is different about `entry` without reading it; empty if nothing is.
std::string glance(const ManifestEntry& entry, const std::optional<ManifestEntry>& now) {
    if (!now) return entry.path + " is missing";
    if (now->link != entry.link || (entry.link && now->content != entry.content))
        return entry.path + " is another file";
    if (now->size != entry.size)
        return fmt::format("{} has {} bytes in place of {}", entry.path, now->size, entry.size);
    return "";
}

}  // namespace

std::string manifest_text(const std::vector<ManifestEntry>& entries) {
    std::string text;
    for (const ManifestEntry& entry : entries)
        text += entry.link ? fmt::format("{}\t{}\t{}\n", kLink, entry.content, entry.path)
                           : fmt::format("{}\t{}\t{}\t{}\t{}\n", kFile, entry.content, entry.size,
                                         entry.time, entry.path);
    return text + fmt::format("{}\t{}\n", kEnd, entries.size());
}

std::optional<std::vector<ManifestEntry>> manifest_from_text(std::string_view text) {
    std::vector<ManifestEntry> entries;
    for (size_t at = 0; at < text.size();) {
        const size_t newline = text.find('\n', at);
        if (newline == std::string_view::npos) return std::nullopt;
        const std::vector<std::string> fields = fields_of(text.substr(at, newline - at));
        at = newline + 1;
        // A file has a path, a link a target.
        if (std::ranges::any_of(fields, &std::string::empty)) return std::nullopt;
        if (fields.size() == 2 && fields[0] == kEnd)
            return at == text.size() && number_from<size_t>(fields[1]) == entries.size()
                       ? std::optional(std::move(entries))
                       : std::nullopt;
        if (fields.size() == 3 && fields[0] == kLink) {
            entries.push_back({.link = true, .content = fields[1], .path = fields[2]});
        } else if (fields.size() == 5 && fields[0] == kFile && fields[1].size() == kDigits) {
            const auto size = number_from<uint64_t>(fields[2]);
            if (!size) return std::nullopt;
            entries.push_back({false, fields[1], *size, fields[3], fields[4]});
        } else {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

Result<void> write_manifest(const fs::path& folder) {
    std::vector<ManifestEntry> entries;
    std::vector<std::string> files;
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end;
         it.increment(code)) {
        const std::string path = it->path().lexically_relative(folder).string();
        if (path == kManifest || path.find_first_of("\t\n\\") != std::string::npos) continue;
        if (auto entry = look_at(folder, path)) entries.push_back(std::move(*entry));
    }
    if (code) return error_from_errno("list " + folder.string(), code.value());
    std::ranges::sort(entries, {}, &ManifestEntry::path);
    for (const ManifestEntry& entry : entries)
        if (!entry.link) files.push_back(entry.path);
    const auto content = digests(folder, files);
    if (!content) return content.error();
    auto next = content->begin();
    for (ManifestEntry& entry : entries) {
        if (entry.link) continue;
        entry.content = *next++;
        if (entry.content.empty()) return damaged(folder, entry.path + " cannot be read");
    }
    return write_whole(folder / kManifest, manifest_text(entries));
}

Result<void> check_manifest(const fs::path& folder, Look look) {
    const auto text = read_file(folder / kManifest, kManifestLimit);
    if (!text && text.error().code == ENOENT) {
        const Result<void> written = write_manifest(folder);
        // Where nothing can be written, there is nothing to compare with.
        return !written && written.error().code == EIO ? written : Result<void>();
    }
    auto entries = text ? manifest_from_text(*text) : std::nullopt;
    if (!entries) return damaged(folder, std::string(kManifest) + " says so, or is no list");
    std::vector<std::string> files, expected;
    bool any_time = false;
    for (ManifestEntry& entry : *entries) {
        const auto now = look_at(folder, entry.path);
        if (const std::string how = glance(entry, now); !how.empty()) return damaged(folder, how);
        const bool other_time = now->time != entry.time;
        any_time = any_time || other_time;
        entry.time = now->time;
        if (entry.link || (!other_time && look != Look::kWhole)) continue;
        files.push_back(entry.path);
        expected.push_back(entry.content);
    }
    const auto content = digests(folder, files);
    if (!content) return content.error();
    for (size_t i = 0; i < files.size(); ++i)
        if ((*content)[i] != expected[i]) return damaged(folder, files[i] + " has another content");
    // A copy of the cache has times of its own; from now on they are these.
    if (any_time) (void)write_whole(folder / kManifest, manifest_text(*entries)).ok();
    return {};
}

void mark_damaged(const fs::path& folder) {
    (void)write_whole(folder / kManifest, kDamaged).ok();
}

}  // namespace zcrxlab
