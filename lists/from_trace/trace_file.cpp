// FromTrace: reads the events of one test from the text of a trace.
#include <set>
#include <sstream>

#include "harness/base/json.hpp"
#include "harness/trace/event_json.hpp"
#include "lists/from_trace/from_trace.hpp"

namespace zcrxlab {

Result<std::vector<Event>> events_of_test(const std::string& jsonl, const std::string& test) {
    std::vector<Event> events;
    std::set<std::string> tests;
    std::istringstream lines(jsonl);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty()) continue;
        const auto json = parse_json_object(line);
        if (!json)
            return Error{EINVAL, "Line " + std::to_string(number) + " of the trace is no event."};
        const std::string of = get_text(*json, "test");
        tests.insert(of);
        if (!test.empty() && of != test) continue;
        Result<Event> event = event_from_json(*json);
        if (!event)
            return Error{EINVAL, "Line " + std::to_string(number) +
                                     " of the trace: " + event.error().sentence};
        events.push_back(*std::move(event));
    }
    if (!events.empty() && (!test.empty() || tests.size() == 1)) return events;
    std::string names;
    for (const std::string& name : tests) names += (names.empty() ? "" : ", ") + name;
    return Error{EINVAL, "The trace has these tests, one of which --test has to name: " + names};
}

}  // namespace zcrxlab
