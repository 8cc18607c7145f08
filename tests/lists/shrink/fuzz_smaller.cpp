// Makes smaller lists of whatever list the parser takes: each must be one that it takes again.
//
// reaches 30 % of lists/shrink/smaller.cpp
// reaches 70 % of lists/runs/fingerprint.cpp
#include <cstdlib>

#include "lists/runs/fingerprint.hpp"
#include "lists/shrink/smaller.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (fingerprint_of(text).size() > 160 || folder_name(text).size() > 60) std::abort();
    splat_fingerprint(text);
    const Result<ActionList> list = actions_from_text(text);
    if (!list || list->actions.size() > 40) return 0;
    for (const auto& candidates : {without_parts(*list, 1), simpler_arguments(*list)})
        for (const ActionList& candidate : candidates)
            if (candidate == *list || !actions_from_text(to_text(candidate))) std::abort();
    return 0;
}
