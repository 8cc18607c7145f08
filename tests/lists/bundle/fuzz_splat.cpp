// Takes whatever a guest printed as a splat, and whatever nm and addr2line could say.
//
// reaches 75 % of lists/bundle/splat.cpp
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lists/bundle/splat.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto symbols = symbols_from(text);
    const DecodedSplat decoded = with_lines(text, symbols, lines_from(text));
    if (decoded.decoded > addresses_of(text, symbols).size()) std::abort();
    return 0;
}
