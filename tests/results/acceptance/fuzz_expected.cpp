// A list of expected tests of any content is read or refused, and differs from no results at all in
// each of its tests.
//
// reaches 65 % of results/acceptance/expected.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "results/acceptance/expected.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto tests =
        zcrxlab::read_expected(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!tests) return 0;
    size_t run = 0;
    std::vector<zcrxlab::ScriptResults> all;
    for (const zcrxlab::ExpectedTest& test : *tests) {
        if (!test.left_out) ++run;
        all.push_back({test.script, {{test.test, zcrxlab::TapOutcome::kOk, test.symptom}}});
    }
    if (zcrxlab::differences(*tests, {}).size() != run) std::abort();
    if (zcrxlab::differences(*tests, all).size() > tests->size()) std::abort();
    return 0;
}
