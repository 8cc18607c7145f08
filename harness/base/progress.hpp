// Progress: lines by which long work reports what it does.
#pragma once

#include <functional>
#include <string>

namespace zcrxlab {

// Called with one line, without a newline, whenever there is something new to say.
using Progress = std::function<void(const std::string& line)>;

// Prints each line on standard error.
Progress progress_for_people();

}  // namespace zcrxlab
