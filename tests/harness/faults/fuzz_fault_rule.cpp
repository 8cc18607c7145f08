// Fault rules of any text: a rule that is the same when it is written and read again, and a line
// that fits into the buffer of netdevsim's driver; or an error that says something.
//
// reaches 65 % of harness/faults/fault_rule_json.cpp
// reaches 40 % of harness/faults/json_text.cpp
// reaches 65 % of harness/faults/fault_rule.cpp
#include <cstdlib>
#include <string>

#include "harness/faults/fault_rule_json.hpp"

using namespace zcrxlab;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto rule = read_fault_rule({reinterpret_cast<const char*>(data), size});
    if (!rule) {
        if (rule.error().code != EINVAL || rule.error().sentence.size() > 1000) std::abort();
        return 0;
    }
    const std::string text = fault_rule_text(*rule);
    const auto again = read_fault_rule(text);
    if (!again || *again != *rule || fault_rule_text(*again) != text) std::abort();
    if (!check_fault_rule(with_defaults(*rule))) std::abort();
    return 0;
}
