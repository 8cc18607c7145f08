// Any bytes as the list of files of a package set: what is read comes back as it was.
//
// reaches kernels/packages/manifest.cpp: return at == text.size()
// reaches kernels/packages/manifest.cpp: entries.push_back({.link = true
// reaches kernels/packages/manifest.cpp: entries.push_back({false
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernels/packages/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const auto entries =
        manifest_from_text(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!entries) return 0;
    const std::string text = manifest_text(*entries);
    const auto again = manifest_from_text(text);
    if (!again || manifest_text(*again) != text) std::abort();
    return 0;
}
