// What a guest says of its histograms crashes nothing.
//
// reaches 70 % of results/exec/zcrx_report.cpp
// reaches 70 % of results/exec/kernel_histogram.cpp
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "results/exec/exec_trace.hpp"
#include "results/exec/zcrx_report.hpp"
#include "results/exec/zcrx_report_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    zcrxlab::ZcrxReport raw;
    raw.program(text);
    raw.counters(text);
    // And past the JSON.
    zcrxlab::ZcrxReport report;
    nlohmann::json counts;
    for (const char* probe : {"register", "piece", "copy", "receive", "result", "packet", "buffers",
                              "returned", "closed", "armed"})
        counts[probe] = text;
    const auto record = [&](const char* event) {
        return nlohmann::json{{"event", event}, {"counts", counts}}.dump(
            -1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    report.program(record("zcrx-time"));
    report.program(record("zcrx"));
    zcrxlab::ExecTrace trace;
    trace.program(R"({"event":"started","pid":1,"monotonic":1000000000})", {});
    trace.program(text, {});
    trace.program(record("zcrx-time"), {});
    trace.kernel_log(text);
    zcrxlab::trace_lines(trace.events({}, report), "fuzz");
    zcrxlab::in_words(report, 3);
    report.to_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return 0;
}
