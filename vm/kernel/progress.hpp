// Progress: how long work tells a person what it does.
#pragma once

#include <functional>
#include <string>

namespace zcrxlab {

// Called with one line, without a newline, whenever there is something new to say.
using Progress = std::function<void(const std::string& line)>;

}  // namespace zcrxlab
