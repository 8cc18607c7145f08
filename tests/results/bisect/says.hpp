// Whether a text that a user reads says something.
#pragma once

#include <string>

namespace zcrxlab {

inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace zcrxlab
