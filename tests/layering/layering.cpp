// The layering of the tree: reading #include lines and comparing them with the table.
#include "tests/layering/layering.hpp"

#include <algorithm>
#include <optional>

namespace zcrxlab {

namespace {

constexpr std::string_view kTests = "tests/";
constexpr std::string_view kFakes = "tests/fakes";

bool is_file(std::string_view room) {
    return room.back() == '.';
}

// Whether `path` is `room`, or something inside it.
bool lies_in(std::string_view path, std::string_view room) {
    if (path.substr(0, room.size()) != room) return false;
    return is_file(room) || path.size() == room.size() || path[room.size()] == '/';
}

bool contains(const std::vector<std::string_view>& paths, std::string_view path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// Whether the tests of the folder `tested` may use `other`.
bool tests_may_use(const Room& tested, const Room& other) {
    if (other.path == kFakes || contains(tested.may_use, other.path)) return true;
    const std::span<const Room> table = rooms();
    return std::any_of(table.begin(), table.end(), [&](const Room& room) {
        const bool file_in_it = is_file(room.path) && lies_in(room.path, tested.path) &&
                                room.path.find('/', tested.path.size() + 1) == room.path.npos;
        return file_in_it && (room.path == other.path || contains(room.may_use, other.path));
    });
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
        const bool own_tests = is_test && other == nullptr &&
                               lies_in(include.path, std::string(kTests) + std::string(room->path));
        if (own_tests || other == room) continue;
        if (other == nullptr)
            complaints.push_back(at(file, include) + "\"" + std::string(include.path) +
                                 "\" is not written from the root of the tree, or lies in no room");
        else if (is_test ? !tests_may_use(*room, *other) : !contains(room->may_use, other->path))
            complaints.push_back(at(file, include) + std::string(room->path) + " must not use " +
                                 std::string(other->path) + ": " + std::string(room->because));
    }
    return complaints;
}

std::vector<std::string> complaints_about_table(std::span<const Room> table) {
    std::vector<std::string> complaints;
    for (size_t i = 0; i < table.size(); ++i)
        for (const std::string_view used : table[i].may_use) {
            const auto below = table.first(i);
            if (std::none_of(below.begin(), below.end(),
                             [&](const Room& room) { return room.path == used; }))
                complaints.push_back(std::string(table[i].path) + " may use " + std::string(used) +
                                     ", which is not below it");
        }
    return complaints;
}

}  // namespace zcrxlab
