// The layering of the tree: reading #include lines and comparing them with the table.
#include "tests/layering/layering.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace zcrxlab {

namespace {

constexpr std::string_view kTests = "tests/";
// What all tests may use.
constexpr std::array<std::string_view, 2> kForTests = {"tests/fakes", "tests/fuzz"};
constexpr std::string_view kNicTable = "harness/nics";
const std::vector<std::string_view> kKnowNoNic = {"cli",   "vm",        "kernels", "results",
                                                  "lists", "scenarios", "harness"};

// Whether `path` is `room`, or something inside it.
bool lies_in(std::string_view path, std::string_view room) {
    if (path.substr(0, room.size()) != room) return false;
    return path.size() == room.size() || path[room.size()] == '/';
}

// Whether `used`, which `user` may use, is or contains `other`. A folder stands for all that is in
// it, but one that the user itself lies in stands for its own files only.
bool means(const Room& user, std::string_view used, const Room& other) {
    return lies_in(user.path, used) ? other.path == used : lies_in(other.path, used);
}

bool may_use(const Room& user, const Room& other) {
    return std::any_of(user.may_use.begin(), user.may_use.end(),
                       [&](std::string_view used) { return means(user, used, other); });
}

template <typename List>
bool lies_in_any(std::string_view path, const List& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return lies_in(path, prefix); });
}

struct Include {
    std::string_view path;
    bool quoted = false;
    size_t line = 0;
};

// "#include <x>" or "#include \"x\"", with any blanks; nothing for other lines.
std::optional<Include> parse_include(std::string_view line, size_t number) {
    const auto skip_blanks = [&] {
        while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    };
    const auto skip = [&](std::string_view word) {
        skip_blanks();
        if (line.substr(0, word.size()) != word) return false;
        line.remove_prefix(word.size());
        skip_blanks();
        return true;
    };
    if (!skip("#") || !skip("include") || line.empty()) return {};
    const char close = line[0] == '"' ? '"' : line[0] == '<' ? '>' : '\0';
    const size_t end = line.find(close, 1);
    if (close == '\0' || end == std::string_view::npos) return {};
    return Include{line.substr(1, end - 1), close == '"', number};
}

std::vector<Include> includes_of(std::string_view content) {
    std::vector<Include> found;
    for (size_t number = 1; !content.empty(); ++number) {
        const size_t end = std::min(content.find('\n'), content.size());
        if (const auto include = parse_include(content.substr(0, end), number))
            found.push_back(*include);
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return found;
}

std::string at(std::string_view file, const Include& include) {
    return std::string(file) + ":" + std::to_string(include.line) + ": ";
}

}  // namespace

const Room* room_of(std::string_view file) {
    const Room* best = nullptr;
    for (const Room& room : rooms())
        if (lies_in(file, room.path) && (best == nullptr || room.path.size() > best->path.size()))
            best = &room;
    return best;
}

std::vector<std::string> complaints_about(std::string_view file, std::string_view content) {
    const Room* room = room_of(file);
    const bool is_test = room == nullptr && lies_in(file, "tests");
    if (is_test) room = room_of(file.substr(kTests.size()));
    if (room == nullptr)
        return {std::string(file) + " lies in no room of tests/layering/rooms.cpp; give it one"};

    std::vector<std::string> complaints;
    for (const Include& include : includes_of(content)) {
        if (!include.quoted) {
            if (!is_test && lies_in_any(include.path, room->must_not_know))
                complaints.push_back(at(file, include) + std::string(room->path) +
                                     " must not know <" + std::string(include.path) +
                                     ">: " + std::string(room->because));
            continue;
        }
        const Room* other = room_of(include.path);
        // The tests of a room stand for it.
        if (is_test && other == nullptr && lies_in(include.path, "tests"))
            other = room_of(include.path.substr(kTests.size()));
        if (other == room) continue;
        if (other == nullptr)
            complaints.push_back(at(file, include) + "\"" + std::string(include.path) +
                                 "\" is not written from the root of the tree, or lies in no room");
        else if (!may_use(*room, *other) && !(is_test && lies_in_any(other->path, kForTests)))
            complaints.push_back(at(file, include) + std::string(room->path) + " must not use " +
                                 std::string(other->path) + ": " + std::string(room->because));
    }
    return complaints;
}

std::vector<std::string> nic_names(std::string_view table) {
    constexpr std::string_view kName = ".name = \"";
    constexpr std::string_view kArgument = ".argument = \"";
    std::vector<std::string> names;
    for (size_t at = table.find(kName); at != std::string_view::npos;) {
        const size_t next = table.find(kName, at + 1);
        const std::string_view row = table.substr(at + kName.size(), next - at - kName.size());
        if (row.find(kArgument) == std::string_view::npos)
            names.emplace_back(row.substr(0, row.find('"')));
        at = next;
    }
    return names;
}

std::vector<std::string> complaints_about_nic_names(std::string_view file, std::string_view content,
                                                    std::span<const std::string> names) {
    if (!lies_in_any(file, kKnowNoNic) || lies_in(file, kNicTable)) return {};
    // A finding or a fixed bug is data, and says on which NIC it shows.
    if (lies_in(file, "scenarios/known_issues") || lies_in(file, "kernels/bugs")) return {};
    std::vector<std::string> complaints;
    for (size_t number = 1; !content.empty(); ++number) {
        const size_t end = std::min(content.find('\n'), content.size());
        const std::string_view line = content.substr(0, end);
        for (const std::string& name : names)
            if (line.find('"' + name) != std::string_view::npos) {
                complaints.push_back(std::string(file) + ":" + std::to_string(number) +
                                     ": names the NIC " + name + "; read its row in " +
                                     std::string(kNicTable));
                break;
            }
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return complaints;
}

std::vector<std::string> complaints_about_table(std::span<const Room> table) {
    std::vector<std::string> complaints;
    for (size_t i = 0; i < table.size(); ++i)
        for (const std::string_view used : table[i].may_use) {
            const auto is_meant = [&](const Room& room) { return means(table[i], used, room); };
            const auto below = table.first(i);
            const auto above = table.subspan(i);
            const bool is_below = std::any_of(below.begin(), below.end(), is_meant);
            if (!is_below || std::any_of(above.begin(), above.end(), is_meant))
                complaints.push_back(std::string(table[i].path) + " may use " + std::string(used) +
                                     ", which is not below it");
        }
    return complaints;
}

}  // namespace zcrxlab
