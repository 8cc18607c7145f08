// Mistakes of a receiver in one situation, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

struct Mistake {
    std::string did;
    std::string_view
        promise;  // an identifier of the contract; empty: it is no matter of the kernel
    std::string change;
};
using Mistakes = std::vector<Mistake>;

// The first in full, of the others what the program did.
std::string in_words(const Mistakes& mistakes);

}  // namespace zcrxlab
