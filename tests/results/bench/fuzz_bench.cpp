// Tables of any content become text, JSON and a picture, each well-formed.
//
// reaches 80 % of results/bench/bench_plot.cpp
// reaches 80 % of results/bench/bench_table.cpp
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/base/json.hpp"
#include "results/bench/bench_plot.hpp"
#include "results/bench/bench_table.hpp"
#include "tests/fakes/xml_reader.hpp"

// A picture stands in a page, too, and so has none.
static const std::string kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    BenchTables tables;
    // Several records, each up to a NUL.
    for (std::string_view rest = input; !rest.empty();) {
        const std::string_view json = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), json.size() + 1));
        tables.take(json);
    }
    for (const char c : tables.to_text())
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
    const std::string json = tables.to_json();
    if (!parse_ordered_json_object(json)) std::abort();
    for (const std::string& picture : {bench_plot(json), bench_plot(input)})
        if (!picture.empty() && !read_xml(kDeclaration + picture)) std::abort();
    return 0;
}
