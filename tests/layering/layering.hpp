// The layering of the tree: each room may include only rooms below it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// A folder, or a file in one (without its ending, so it ends with a dot), and what it may include
// besides itself and system headers.
struct Room {
    std::string_view path;                        // "harness/trace"; the longest that fits counts
    std::vector<std::string_view> may_use;        // paths of rooms above it in the table
    std::vector<std::string_view> must_not_know;  // system headers, or the folders they are in
    std::string_view because;                     // why, for people
};

// The table, lowest rooms first.
std::span<const Room> rooms();

// The room of a file, given relative to the root of the tree; nullptr if it has none.
const Room* room_of(std::string_view file);

// One sentence for each #include of `content` that `file` must not have. The tests of a folder may
// use the fakes, the folder, and what it and the files in it may use.
std::vector<std::string> complaints_about(std::string_view file, std::string_view content);

// What is wrong with the table itself: a room that may use one that is not below it.
std::vector<std::string> complaints_about_table(std::span<const Room> table);

}  // namespace zcrxlab
