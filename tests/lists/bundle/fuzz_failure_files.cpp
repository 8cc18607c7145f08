// What was left of a failure may be of anybody: it is refused, or says again what it said.
//
// reaches lists/bundle/failure.cpp: return json_text(Json{{"kernel", failure.kernel},
// reaches lists/bundle/bundle.cpp: if (whole && file.ends_with(".c")) add(file);
// reaches lists/bundle/bundle.cpp: if (verb == Verb::kNic || verb == Verb::kLink
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lists/bundle/bundle.hpp"
#include "lists/bundle/failure.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    // The list up to a NUL, then failure.json.
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view list = input.substr(0, input.find('\0'));
    const std::string_view facts = input.substr(std::min(size, list.size() + 1));
    const auto failure = failure_from(list, facts);
    if (!failure) {
        if (failure.error().sentence.empty()) std::abort();
        return 0;
    }
    const auto again = failure_from(to_text(failure->list), to_json(*failure));
    if (!again || to_json(*again) != to_json(*failure)) std::abort();
    (void)settings_of(*failure);
    (void)files_of(*failure, failure->splat);
    (void)to_script(*failure);
    return 0;
}
