// A header that does not include what it uses.
#pragma once

inline std::deque<int> none() {
    return {};
}
