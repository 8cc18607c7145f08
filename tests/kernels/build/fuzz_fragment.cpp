// Fragments and configurations are files of other people.
//
// reaches 65 % of kernels/build/fragment.cpp
#include <cstdint>
#include <cstdlib>

#include "kernels/build/fragment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto fragment = parse_fragment(text, "fuzz");
    if (!fragment) return 0;
    const auto settings = merged({*fragment});
    // What was asked for and nothing else is in the file that asks for it.
    if (!unmet(settings, config_text(settings)).empty()) std::abort();
    return 0;
}
