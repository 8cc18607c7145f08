// A guest that runs a program may send anything: its outcome, counts and trace are still told.
//
// reaches 85 % of results/exec/exec_records.cpp
// reaches 60 % of results/exec/exec_outcome.cpp
// reaches 65 % of results/exec/zcrx_report.cpp
// reaches 45 % of results/exec/exec_trace.cpp
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "results/exec/exec_records.hpp"
#include "results/exec/zcrx_report_text.hpp"
#include "results/timeline/recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    using Json = nlohmann::json;
    const Watch::Time start{};
    Watch watch({}, start);
    ExecOutcome outcome;
    ZcrxReport report;
    ExecTrace trace;
    HostMoment now{1'000'000'000, 2'000'000'000};
    int starts = 0;
    // A byte for the type, then JSON up to a NUL, as often as there is some.
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (rest.size() > 1) {
        const auto type = static_cast<RecordType>(static_cast<uint8_t>(rest[0]));
        const std::string json(rest.substr(1, rest.find('\0', 1) - 1));
        rest.remove_prefix(std::min(rest.size(), json.size() + 2));
        watch.record({type, json}, start);
        now.monotonic += 1'000'000;
        now.wall += 1'000'000;
        starts += take_record({type, json}, now, outcome, report, trace).started ? 1 : 0;
        report.counters(json);
    }
    if (starts > 1 || (starts == 1) != outcome.started()) std::abort();
    (void)outcome.sentences(watch, "name", "2G", 60);
    (void)outcome.to_json(watch).dump(-1, ' ', false, Json::error_handler_t::replace);
    (void)report.to_json().dump(-1, ' ', false, Json::error_handler_t::replace);
    (void)in_words(report, 3);
    const std::string lines = trace_lines(trace.events({}, report), "name");
    if (!lines.empty() && !read_trace(lines)) std::abort();
    return 0;
}
