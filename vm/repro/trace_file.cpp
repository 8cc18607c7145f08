// FromTrace: the events of one test out of the text of a trace.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/trace/trace.hpp"
#include "vm/repro/from_trace.hpp"

namespace zcrxlab {

using Json = nlohmann::json;

Result<std::vector<Event>> events_of_test(const std::string& jsonl, const std::string& test) {
    std::vector<Event> events;
    std::set<std::string> tests;
    std::istringstream lines(jsonl);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty()) continue;
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object())
            return Error{EINVAL, "Line " + std::to_string(number) + " of the trace is no event."};
        const auto found = json.find("test");
        const std::string of =
            found != json.end() && found->is_string() ? found->get<std::string>() : "";
        tests.insert(of);
        if (!test.empty() && of != test) continue;
        Result<Event> event = event_from_json(line);
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
