// The layering of the tree: each room may include only rooms below it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// A folder, and what it may include besides itself and system headers.
struct Room {
    std::string_view path;                        // "harness/trace"; the longest that fits counts
    std::vector<std::string_view> may_use;        // folders above it in the table, with all in them
    std::vector<std::string_view> must_not_know;  // system headers, or the folders they are in
    std::string_view because;                     // why, for people
};

// The table, lowest rooms first.
std::span<const Room> rooms();

// The room of a file, given relative to the root of the tree; nullptr if it has none.
const Room* room_of(std::string_view file);

// One sentence for each #include of `content` that `file` must not have. The tests of a folder may
// use the fakes, the folder, and what it may use, each with its tests.
std::vector<std::string> complaints_about(std::string_view file, std::string_view content);

// The names of NICs in the text of harness/nics/nic_table.cpp. One that takes an argument is left
// out: it is a common word ("nic").
std::vector<std::string> nic_names(std::string_view table);

// One sentence for each line of `content` with a literal that begins with one of `names`; none in
// rooms that may know NICs: the table's own, nic/, and tests/.
std::vector<std::string> complaints_about_nic_names(std::string_view file, std::string_view content,
                                                    std::span<const std::string> names);

// What is wrong with the table itself: a room that may use one that is not below it.
std::vector<std::string> complaints_about_table(std::span<const Room> table);

}  // namespace zcrxlab
