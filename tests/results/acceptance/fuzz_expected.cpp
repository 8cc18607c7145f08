// A list of expected tests of any content is read or refused, and differs from no results at all in
// each of its tests. Any list has a page.
//
// reaches 65 % of results/acceptance/expected.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "results/acceptance/expected.hpp"
#include "results/acceptance/expected_page.hpp"
#include "results/acceptance/tap.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto tests = zcrxlab::read_expected(text);
    if (!tests) return 0;
    size_t run = 0;
    std::vector<zcrxlab::ScriptResults> all;
    for (const zcrxlab::ExpectedTest& test : *tests) {
        if (!test.left_out) ++run;
        if (zcrxlab::of_scripts(*tests, {test.script}).empty()) std::abort();
        if (zcrxlab::options_to_choose(*tests, test.script).empty() && test.left_out) std::abort();
        if (zcrxlab::runs_of(*tests, {test.script}).empty()) std::abort();
        all.push_back({test.script, {{test.test, zcrxlab::TapOutcome::kOk, test.symptom}}});
    }
    if (zcrxlab::differences(*tests, {}).size() != run) std::abort();
    if (zcrxlab::differences(*tests, all).size() > tests->size()) std::abort();
    if (zcrxlab::expected_page({{"fuzzed", zcrxlab::about_list(text), *tests}}).empty())
        std::abort();
    return 0;
}
