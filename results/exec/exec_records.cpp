// Gives records to outcome, report and trace.
#include "results/exec/exec_records.hpp"

#include "harness/base/json.hpp"

namespace zcrxlab {

ExecNews take_record(const Record& record, const HostMoment& now, ExecOutcome& outcome,
                     ZcrxReport& report, ExecTrace& trace) {
    if (record.type == RecordType::kKernelLog) {
        outcome.kernel_log(record.json);
        trace.kernel_log(record.json);
    }
    if (record.type != RecordType::kProgram) return {};
    const auto json = parse_json_object(record.json);
    if (!json) return {};
    if (get_text(*json, "event") == "taken")
        if (const auto bytes = get<uint64_t>(*json, "bytes")) return {.taken = bytes};
    report.program(record.json);
    trace.program(record.json, now);
    const bool ran = outcome.started();
    outcome.program(record.json);
    return {.started = !ran && outcome.started()};
}

}  // namespace zcrxlab
