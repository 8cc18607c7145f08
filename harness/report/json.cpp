// results.json: the run as data, with the keys that report.hpp names and no others, and back.
#include <cmath>
#include <nlohmann/json.hpp>

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
    put_text(json, "reference", test.reference);
    if (!test.trace.empty()) json["trace"] = Json::array();
    for (const std::string& line : test.trace) json["trace"].push_back(cleaned(line));
    return json;
}

std::string text_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? finite(found->get<double>()) : 0;
}

// The member `key` if it is of this kind, else an empty one.
const Json& part_of(const Json& json, const char* key, Json::value_t kind) {
    static const Json none;
    const auto found = json.find(key);
    return found != json.end() && found->type() == kind ? *found : none;
}

TestResult test_of(const Json& json) {
    TestResult test;
    test.name = text_of(json, "name");
    test.status = status_from_name(text_of(json, "status")).value_or(TestStatus::kLost);
    test.seconds = number_of(json, "seconds");
    test.message = text_of(json, "message");
    test.reference = text_of(json, "reference");
    for (const Json& line : part_of(json, "trace", Json::value_t::array))
        if (line.is_string()) test.trace.push_back(line.get<std::string>());
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
    all["properties"] = std::move(properties);
    all["features"] = std::move(features);
    all["tests"] = std::move(tests);
    if (run.ending != Ending::kFinished) put_text(all, "console", run.console);
    return all.dump(2) + "\n";
}

Result<RunSummary> summary_from_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    const auto tests = json.is_object() ? json.find("tests") : json.end();
    const auto ending = json.is_object() ? ending_from_name(text_of(json, "ending")) : std::nullopt;
    if (!ending || tests == json.end() || !tests->is_array())
        return Error{EINVAL, "This is no results.json, which has \"ending\" and \"tests\"."};
    RunSummary run;
    run.kernel = text_of(json, "kernel");
    run.nic = text_of(json, "nic");
    const auto seed = json.find("seed");
    if (seed != json.end() && seed->is_number_unsigned()) run.seed = seed->get<uint64_t>();
    run.seconds = number_of(json, "seconds");
    run.ending = *ending;
    run.ending_message = text_of(json, "ending_message");
    run.console = text_of(json, "console");
    for (const auto& [name, value] : part_of(json, "properties", Json::value_t::object).items())
        if (value.is_string()) run.properties.emplace_back(name, value.get<std::string>());
    for (const auto& [name, there] : part_of(json, "features", Json::value_t::object).items())
        if (there.is_boolean()) run.features.emplace_back(name, there.get<bool>());
    for (const Json& test : *tests)
        if (test.is_object()) run.tests.push_back(test_of(test));
    return run;
}

}  // namespace zcrxlab
