// Profiles come from a guest, and reports from another program.
#include <cstdint>

#include "vm/coverage/coverage.hpp"
#include "vm/coverage/profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(parse_profile(text));
    Coverage coverage;
    if (add_gcov(coverage, text, "/tree")) {
        count_functions(coverage);
        static_cast<void>(to_text(coverage));
        static_cast<void>(to_json(coverage));
    }
    return 0;
}
