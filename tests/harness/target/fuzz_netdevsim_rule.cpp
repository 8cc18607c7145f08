// Fault rules of any text: one line for the driver, short enough for it, or an error.
#include <algorithm>
#include <string>
#include <string_view>

#include "harness/target/netdevsim_rule.hpp"

using namespace zcrxlab;

namespace {

// What the driver's buffer holds (nsim_faults_write() of kernel-config/netdevsim).
constexpr size_t kMostOfLine = 255;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto rule = netdevsim_rule(text, 4294967295U, true);
    if (!rule) {
        if (rule.error().sentence.empty()) __builtin_trap();
        return 0;
    }
    const std::string_view line = rule->line;
    const bool plain = std::all_of(line.begin(), line.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '=' || c == '_';
    });
    if (!plain || rule->port > 1 || line.size() > kMostOfLine) __builtin_trap();
    return 0;
}
