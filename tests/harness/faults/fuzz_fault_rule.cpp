// Fault rules of any text: a rule that is the same when it is written and read again, and a line
// that fits into the buffer of netdevsim's driver; or an error that says something.
//
// Words for a dictionary: "what" "port" "bytes" "frames" "milliseconds" "to" "match" "protocol"
// "payload" "queue" "family" "source_port" "destination_port" "skip" "every" "probability" "seed"
// "count", and the kinds and protocols as in seeds/.
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
