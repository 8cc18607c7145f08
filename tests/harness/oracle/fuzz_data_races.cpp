// Lines of any kernel log: a report of KCSAN that is about zero-copy receive or not whole is found,
// and each violation is about a line that is there.
//
// reaches 70 % of harness/oracle/data_races.cpp
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "harness/oracle/data_races.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<KernelMessage> messages;
    std::vector<Event> events;
    for (std::string line; std::getline(lines, line);) {
        messages.push_back({3, line});
        events.push_back({1, messages.back()});
    }
    const std::vector<Violation> violations = check_kernel_log(events);
    for (const Violation& violation : violations)
        if (violation.event >= events.size() || violation.sentence.empty()) std::abort();
    // Each report is shown as one of others, or is a violation.
    const bool any = std::ranges::any_of(messages, [](const KernelMessage& message) {
        return message.text.starts_with("BUG: KCSAN: ");
    });
    const bool shown = !races_elsewhere(messages).empty();
    if (any && !shown && violations.empty()) std::abort();
    if (end_inside_a_race(messages) && violations.empty()) std::abort();
    return 0;
}
