// results.json: the run as data, with the keys that report.hpp names and no others, and back.
#include <cmath>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN.
double finite(double seconds) {
    return std::isfinite(seconds) ? seconds : 0;
}

// A text of which nothing is left when it is cleaned is no text, written or read back.
void put_text(Json& json, const char* key, const std::string& text) {
    if (std::string clean = cleaned(text); !clean.empty()) json[key] = std::move(clean);
}

Json json_of(const TestResult& test) {
    Json json = {{"name", cleaned(test.name)},
                 {"status", name_of(test.status)},
                 {"seconds", finite(test.seconds)},
                 {"message", cleaned(test.message)}};
    if (test.status == TestStatus::kLost)
        json["reached"] = test.reached == Reached::kStart ? "start" : "nothing";
    put_text(json, "reference", test.reference);
    if (!test.trace.empty()) json["trace"] = Json::array();
    for (const std::string& line : test.trace) json["trace"].push_back(cleaned(line));
    return json;
}

double number_of(const Json& json, const char* name) {
    return finite(get_or(json, name, 0.0));
}

TestResult test_of(const Json& json) {
    TestResult test;
    test.name = get_text(json, "name");
    test.status = status_from_name(get_text(json, "status")).value_or(TestStatus::kLost);
    test.seconds = number_of(json, "seconds");
    test.message = get_text(json, "message");
    // Where nothing says that it was running, nobody may blame it.
    if (test.status == TestStatus::kLost)
        test.reached = get_text(json, "reached") == "start" ? Reached::kStart : Reached::kNothing;
    test.reference = get_text(json, "reference");
    test.trace = get_all<std::string>(json, "trace");
    return test;
}

}  // namespace

std::string to_json(const RunSummary& run) {
    Json tests = Json::array();
    for (const TestResult& test : run.tests) tests.push_back(json_of(test));
    Json properties = Json::object();
    for (const auto& [name, value] : run.properties) properties[cleaned(name)] = cleaned(value);
    Json features = Json::object();
    for (const auto& [name, there] : run.features) features[cleaned(name)] = there;
    Json all = {{"kernel", cleaned(run.kernel)},
                {"nic", cleaned(run.nic)},
                {"seed", run.seed},
                {"seconds", finite(run.seconds)},
                {"ending", name_of(run.ending)}};
    put_text(all, "ending_message", run.ending_message);
    put_text(all, "unexpected", run.unexpected);
    all["properties"] = std::move(properties);
    all["features"] = std::move(features);
    all["tests"] = std::move(tests);
    if (run.ending != Ending::kFinished) put_text(all, "console", run.console);
    return all.dump(2) + "\n";
}

Result<RunSummary> summary_from_json(std::string_view text) {
    const Result<Json> parsed = parse_ordered_json_object(text);
    const Json* tests = parsed ? member(*parsed, "tests") : nullptr;
    const auto ending = parsed ? ending_from_name(get_text(*parsed, "ending")) : std::nullopt;
    if (!ending || tests == nullptr || !tests->is_array())
        return Error{EINVAL, "This is no results.json, which has \"ending\" and \"tests\"."};
    const Json& json = *parsed;
    RunSummary run;
    run.kernel = get_text(json, "kernel");
    run.nic = get_text(json, "nic");
    run.seed = get_or<uint64_t>(json, "seed", 0);
    run.seconds = number_of(json, "seconds");
    run.ending = *ending;
    run.ending_message = get_text(json, "ending_message");
    run.unexpected = get_text(json, "unexpected");
    run.console = get_text(json, "console");
    for (const auto& [name, value] : get_object(json, "properties").items())
        if (value.is_string()) run.properties.emplace_back(name, value.get<std::string>());
    for (const auto& [name, there] : get_object(json, "features").items())
        if (there.is_boolean()) run.features.emplace_back(name, there.get<bool>());
    for (const Json& test : *tests)
        if (test.is_object()) run.tests.push_back(test_of(test));
    return run;
}

}  // namespace zcrxlab
