// Kernel modules made up for tests: ELF files with nothing but a .modinfo section.
#pragma once

#include <string>
#include <string_view>

namespace zcrxlab {

// `modinfo` is the section's content, strings ending in '\0'.
std::string fake_module(std::string_view modinfo);
// The same, saying that it depends on `depends` ("a,b").
std::string fake_module_depending_on(std::string_view depends);
// `content` as `filter` ("xz", "gzip") compresses it.
std::string compressed(std::string_view content, const char* filter);

}  // namespace zcrxlab
