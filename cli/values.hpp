// What the value of an option can be. Each option that takes a value has a check of these, made
// when the command line is read: a wrong value ends the command before anything was started,
// fetched, changed or removed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zcrxlab {

// For CLI::Option::check(): empty for a value that can be taken, else a sentence that names the
// value and says what is possible.
using ValueCheck = std::function<std::string(const std::string& value)>;

// The longest time that somebody can ask for, in seconds: a year.
inline constexpr uint64_t kLongest = 365ULL * 24 * 3600;
// The most compilers at once.
inline constexpr unsigned kMostCompilers = 4096;

// Anything but nothing.
ValueCheck any_text();
// Words for another program, which may be none.
ValueCheck any_words();
// Decimal digits, from `least` to `most`.
ValueCheck whole_number(uint64_t least, uint64_t most);
// From 1 to kLongest.
ValueCheck seconds_to_wait();
// A decimal fraction, from `least` to `most`; "nan" and "inf" are none.
ValueCheck real_number(double least, double most);
ValueCheck one_of(std::vector<std::string> words);

// A file or folder that is there.
ValueCheck path_that_is_there();
// A folder that is there and can be written to, or can be made.
ValueCheck folder_to_write();
// A file in such a folder.
ValueCheck file_to_write();
// A file in such a folder, or such a folder.
ValueCheck path_to_write();
// A network interface of this machine.
ValueCheck interface_of_this_machine();

}  // namespace zcrxlab
