// Puts mistakes into sentences.
#include "results/conform/mistakes.hpp"

#include <fmt/format.h>

#include "results/conform/promises.hpp"

namespace zcrxlab {

std::string in_words(const Mistakes& mistakes) {
    std::string text;
    for (const Mistake& mistake : mistakes) {
        if (&mistake != &mistakes.front()) {
            text += " Also: " + mistake.did;
            continue;
        }
        text = mistake.did;
        if (!mistake.promise.empty())
            text += fmt::format(" The kernel promises: {} ({}).", text_of_promise(mistake.promise),
                                mistake.promise);
        text += " " + mistake.change;
    }
    return text;
}

}  // namespace zcrxlab
