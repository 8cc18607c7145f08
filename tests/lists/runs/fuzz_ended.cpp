// Lines of ended.jsonl are what a guest sent: each is a list that ended, or nothing.
//
// reaches lists/runs/list_runs.cpp: if (index < 0 || !status) return std::nullopt;
// reaches lists/runs/list_runs.cpp: ListOutcome outcome_of(TestStatus status
// reaches kernels/coverage/profile.cpp: if (path.is_absolute() || path.extension() != ".gcda" ||
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernels/coverage/profile.hpp"
#include "lists/runs/list_runs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    const auto ended = ended_list_from(line);
    if (ended && !ended->second.ran) std::abort();
    (void)parse_profile(line).ok();
    return 0;
}
