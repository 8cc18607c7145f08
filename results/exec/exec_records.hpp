// Records of a guest that runs a program, each given to those that judge, count and draw it.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/trace/record.hpp"
#include "results/exec/exec_outcome.hpp"
#include "results/exec/exec_trace.hpp"
#include "results/exec/zcrx_report.hpp"

namespace zcrxlab {

// What the host has to do about a record.
struct ExecNews {
    bool started = false;                // the program has just started; its time begins
    std::optional<uint64_t> taken = {};  // so many bytes of its input were taken, all in all
};

// Takes a kProgram or kKernelLog record of any content, which came at `now`; leaves others alone.
ExecNews take_record(const Record& record, const HostMoment& now, ExecOutcome& outcome,
                     ZcrxReport& report, ExecTrace& trace);

}  // namespace zcrxlab
