// Arbitrary names and messages must leave every form of the report well-formed.
//
// reaches 70 % of harness/report/json.cpp
// reaches 65 % of harness/report/junit.cpp
// reaches 60 % of harness/report/people.cpp
// reaches 70 % of harness/report/tap.cpp
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/report/report.hpp"
#include "tests/fakes/xml_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    const TestResult test{.name = text,
                          .status = static_cast<TestStatus>(data[0] % kTestStatuses),
                          .seconds = 1,
                          .message = text,
                          .reference = text,
                          .trace = {text}};
    const RunSummary run{.kernel = text,
                         .nic = text,
                         .seed = 1,
                         .seconds = 1,
                         .tests = {test},
                         .ending = data[0] > 127 ? Ending::kLost : Ending::kFinished,
                         .ending_message = text,
                         .properties = {{text, text}},
                         .console = text};
    if (!read_xml(to_junit(run))) std::abort();
    if (nlohmann::json::parse(to_json(run), nullptr, false).is_discarded()) std::abort();
    (void)summary_from_json(text).ok();
    const auto back = summary_from_json(to_json(run));
    if (!back || to_json(*back) != to_json(run)) std::abort();
    const std::string all =
        to_tap(run) + to_line(test) + to_text(test, text, text, text) + to_text(run);
    for (const char c : all)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') std::abort();
    // Every line of TAP is one of ours, whatever the text says.
    size_t results = 0;
    const std::string tap = to_tap(run);
    for (size_t at = 0; at < tap.size(); at = tap.find('\n', at) + 1)
        if (tap.compare(at, 3, "ok ") == 0 || tap.compare(at, 7, "not ok ") == 0) ++results;
    if (results != 1) std::abort();
    return 0;
}
