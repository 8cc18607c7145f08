// Feeds arbitrary text to the parser of action lists: what it takes must print to a list that is
// the same one again.
//
// reaches 45 % of lists/language/text.cpp
// reaches 45 % of lists/language/value.cpp
// reaches 20 % of lists/language/form.cpp
#include <cstdlib>

#include "lists/language/list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<ActionList> list = actions_from_text(text);
    if (!list) return list.error().sentence.empty() ? std::abort(), 0 : 0;
    const std::string printed = to_text(*list);
    const Result<ActionList> again = actions_from_text(printed);
    if (!again || !(*again == *list) || to_text(*again) != printed) std::abort();
    return 0;
}
