// Arbitrary JSON as a matrix: it is refused, or every form of it is well formed.
//
// reaches 55 % of results/matrix/matrix_json.cpp
// reaches 75 % of results/matrix/table.cpp
// reaches 70 % of results/matrix/page.cpp
// reaches 60 % of results/matrix/text.cpp
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "results/matrix/render.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)run_from_json(text).ok();
    (void)catalogue_from_json(text).ok();
    const Result<Matrix> matrix = matrix_from_json(text);
    if (!matrix) return 0;
    const Table table = table_of(*matrix);
    const std::string page = to_page(*matrix, table);
    // The end of the style, of the data and of the script.
    if (page.find("</script", page.find("</script", page.find("</script") + 1) + 1) != page.npos)
        std::abort();
    for (const char c : to_text(*matrix, table, 80) + to_markdown(*matrix, table))
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
    const auto back = matrix_from_json(to_json(*matrix));
    if (!back || to_json(*back) != to_json(*matrix)) std::abort();
    return 0;
}
