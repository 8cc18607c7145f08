// Any bytes as a changelog.
//
// reaches 70 % of results/bisect/changelog.cpp
// reaches 60 % of results/bisect/changes_text.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "results/bisect/changelog.hpp"
#include "results/bisect/changes_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto log = zcrxlab::parse_changelog(text);
    const auto older = zcrxlab::parse_changelog(text.substr(size / 2));
    const auto changes = zcrxlab::changes_between(older, {{7, 2}, {}}, log);
    if (changes.newer.size() > log.size()) std::abort();
    if (zcrxlab::relevant_text(changes, "7.2", "7.3").back() != '\n') std::abort();
    if (zcrxlab::full_text(changes, "7.2", "7.3").empty()) std::abort();
    return 0;
}
