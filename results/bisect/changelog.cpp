// Parses Debian's changelog.
#include "results/bisect/changelog.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

// In subjects it has its module's name, or this part of it.
constexpr std::string_view kBnxt = kBnxtDriver.substr(0, kBnxtDriver.find('_'));

// The nearer to zero-copy receive, the further up.
constexpr std::array<std::string_view, 10> kRelevant{
    "zcrx", "page_pool", "devmem", "netdev", kGveDriver, kBnxt, "mlx5", "fbnic", "io_uring", "tcp"};

// "linux (7.3.3-1) unstable; urgency=medium"
std::string version_of_heading(std::string_view line) {
    const size_t open = line.find(" ("), close = line.find(')');
    if (line.empty() || line[0] == ' ' || open == std::string_view::npos ||
        close == std::string_view::npos || close < open + 2 || line.find(';') < close)
        return {};
    return std::string(line.substr(open + 2, close - open - 2));
}

// A bullet with what belongs to it.
struct Bullet {
    size_t indent;
    std::string text;
    bool has_children = false;
};

bool is_upstream(const Bullet& bullet) {
    return bullet.text.starts_with("New upstream ");
}

// Takes lines of one entry.
class EntryParser {
  public:
    void line(std::string_view text) {
        const size_t indent = text.find_first_not_of(' ');
        // What stands between bullets: nothing, or "  [ Name ]".
        if (indent == std::string_view::npos || indent == 0) return close(0);
        const std::string_view rest = text.substr(indent);
        const bool inside = !open_.empty() && indent > open_.back().indent;
        if (rest[0] == '[' && !inside) return close(0);
        if (rest.size() > 2 && std::string_view("*-+").find(rest[0]) != std::string_view::npos &&
            rest[1] == ' ') {
            close(indent);
            if (!open_.empty()) open_.back().has_children = true;
            open_.push_back({indent, std::string(rest.substr(2))});
        } else {
            // What goes on stands further in than its bullet.
            close(indent);
            if (!open_.empty()) open_.back().text += " " + std::string(rest);
        }
    }

    ChangelogEntry take(std::string version) {
        close(0);
        ChangelogEntry entry{std::move(version), std::move(changes_), std::move(untold_)};
        changes_.clear();
        untold_.clear();
        return entry;
    }

  private:
    // Ends all bullets that stand as far in as `indent`, or further.
    void close(size_t indent) {
        while (!open_.empty() && open_.back().indent >= indent) {
            const Bullet bullet = std::move(open_.back());
            open_.pop_back();
            if (is_upstream(bullet))
                upstream(bullet);
            else if (!bullet.has_children)
                changes_.push_back(heading() + bullet.text);
            else if (!bullet.text.ends_with(':'))
                changes_.push_back(bullet.text);
        }
    }

    // "net: " for what stands below "* net:".
    std::string heading() const {
        if (open_.empty() || is_upstream(open_.back()) || !open_.back().text.ends_with(':'))
            return {};
        return open_.back().text + " ";
    }

    // Stable updates are mostly told by the title of each commit; releases never are.
    void upstream(const Bullet& bullet) {
        if (bullet.has_children && bullet.text.starts_with("New upstream stable")) return;
        bool any = false;
        for (size_t at = 0; (at = bullet.text.find("https://", at)) != std::string::npos;) {
            const size_t end = std::min(bullet.text.find(' ', at), bullet.text.size());
            untold_.push_back(bullet.text.substr(at, end - at));
            at = end;
            any = true;
        }
        if (!any) untold_.push_back(bullet.text);
    }

    std::vector<Bullet> open_;
    std::vector<std::string> changes_, untold_;
};

bool is_newer(const ChangelogEntry& entry, const Version& than) {
    const auto version = Version::parse(entry.version);
    return version && than < *version;
}

// What `log` has and `other` has not. A log is cut off after some years, and not all of them at the
// same entry: what lies behind the last one that both have says nothing.
std::vector<ChangelogEntry> without(const std::vector<ChangelogEntry>& log,
                                    const std::vector<ChangelogEntry>& other) {
    std::set<std::string_view> there;
    for (const ChangelogEntry& entry : other) there.insert(entry.version);
    std::vector<ChangelogEntry> rest;
    size_t known = 0;  // of `rest`, those in front of a common one
    for (const ChangelogEntry& entry : log) {
        if (there.contains(entry.version))
            known = rest.size();
        else
            rest.push_back(entry);
    }
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(known), rest.end());
    return rest;
}

bool share_an_entry(const std::vector<ChangelogEntry>& left,
                    const std::vector<ChangelogEntry>& right) {
    return std::ranges::any_of(left, [&](const ChangelogEntry& entry) {
        return std::ranges::find(right, entry.version, &ChangelogEntry::version) != right.end();
    });
}

}  // namespace

std::vector<ChangelogEntry> parse_changelog(std::string_view text) {
    std::vector<ChangelogEntry> entries;
    EntryParser parser;
    std::string version;
    const auto finish = [&] {
        ChangelogEntry entry = parser.take(version);
        if (!version.empty()) entries.push_back(std::move(entry));
    };
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        if (std::string next = version_of_heading(line); !next.empty()) {
            finish();
            version = std::move(next);
        } else {
            parser.line(line);
        }
        at = end + 1;
    }
    finish();
    return entries;
}

KernelChanges changes_between(const std::vector<ChangelogEntry>& older_log, const Version& older,
                              const std::vector<ChangelogEntry>& newer_log) {
    KernelChanges changes;
    if (share_an_entry(newer_log, older_log)) {
        changes.newer = without(newer_log, older_log);
        changes.older = without(older_log, newer_log);
        return changes;
    }
    for (const ChangelogEntry& entry : newer_log)
        if (is_newer(entry, older)) changes.newer.push_back(entry);
    return changes;
}

std::optional<size_t> relevance(std::string_view change) {
    // "page pool" and "io-uring" are meant, too; "mptcp" is not.
    std::string words = "_";
    for (const char c : change) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool capital = c >= 'A' && c <= 'Z';
        words += letter ? c : capital ? static_cast<char>(c - 'A' + 'a') : '_';
    }
    for (size_t i = 0; i < kRelevant.size(); ++i)
        if (words.find("_" + std::string(kRelevant[i])) != std::string::npos) return i;
    return std::nullopt;
}

}  // namespace zcrxlab
