// Runs one program in a VM, without scenarios.
#include "vm/start/program_run.hpp"

#include <chrono>

#include "harness/base/exit_code.hpp"
#include "harness/base/json.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/output_recorder.hpp"

namespace zcrxlab {

namespace {

using std::chrono::steady_clock;

bool says_started(const Record& record) {
    if (record.type != RecordType::kProgram) return false;
    const auto json = parse_json(record.json);
    return json && get_text(*json, "event") == "started";
}

}  // namespace

Result<ProgramEnd> run_program(const VmOptions& options, const PreparedVm& vm, ResultsFolder& out,
                               const std::function<void(std::string_view)>& tell) {
    WatchBounds bounds;
    bounds.total = 2 * bounds.boot;
    Watch watch(bounds, steady_clock::now());
    ProgramEnd end;
    OutputRecorder recorder(out, options.verbose, [&](const Record& record) {
        if (!end.started && says_started(record)) {
            end.started = true;
            watch.allow(std::chrono::seconds(options.timeout), steady_clock::now());
        }
        if (record.type == RecordType::kOutput && !record.json.empty())
            tell(std::string_view(record.json).substr(1));
    });
    if (auto ran = run_machine(vm.machine, watch, recorder.callbacks()); !ran) return ran.error();
    end.run = watch.summary(steady_clock::now());
    end.run.nic = options.nic;
    end.run.seed = options.seed;
    if (auto written = out.finish_logs(); !written) return written.error();
    if (auto written = out.write_reports(end.run); !written) return written.error();
    end.state = watch.state();
    end.reason = watch.reason();
    const bool done = end.state == VmState::kDone;
    end.exit = done ? watch.program_exit().value_or(kExitLost) : exit_code(end.run);
    if (!done) end.last_words = recorder.last_words(watch);
    return end;
}

}  // namespace zcrxlab
