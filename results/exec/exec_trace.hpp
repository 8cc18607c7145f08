// ExecTrace: a program's run in the order of time, as events for "zcrxlab trace".
//
// All times are the guest's. It tells its time once, when the program starts; by that moment the
// clocks of this machine, which the capture and the NIC have, are put on its clock: late by the way
// of that one record. An emulated guest's clock may run faster or slower than ours; by the
// program's end it is known how much, and its times are stretched.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/event.hpp"
#include "results/exec/zcrx_report.hpp"
#include "results/timeline/recording.hpp"

namespace zcrxlab {

// Both clocks of this machine at one moment, in nanoseconds: CLOCK_MONOTONIC and CLOCK_REALTIME.
struct HostMoment {
    int64_t monotonic = 0, wall = 0;
    static HostMoment now();
};

class ExecTrace {
  public:
    // kProgram and kKernelLog records as they come. What makes no sense is left out.
    void program(std::string_view json, const HostMoment& now);
    void kernel_log(std::string_view json);
    // The NIC's log of what it wrote, or a part of it; in its order.
    void device(const DmaWrites& log);
    // What the NIC says its driver has asked that is forbidden, since it booted; `lost` more are.
    void driver(std::vector<ForbiddenAsked> asked, uint64_t lost);

    // Sorted by time. Empty if the program never started. `frames` are the capture's.
    std::vector<Event> events(const std::vector<Frame>& frames, const ZcrxReport& report) const;

  private:
    struct Task {
        std::string name;
        uint64_t bytes = 0, pieces = 0;
    };

    void note(double seconds, uint32_t thread, std::string text);
    void moment(const nlohmann::json& counts, double seconds);
    int64_t guest_of_wall(int64_t wall) const { return wall - begin_->wall + started_; }

    std::optional<HostMoment> begin_;
    int64_t started_ = 0;  // on the guest's clock, at begin_
    double stretch_ = 1;   // our seconds for one of the guest's
    uint32_t pid_ = 0;
    std::vector<Event> told_;
    std::map<int64_t, Task> tasks_;
    uint64_t returned_ = 0, buffers_ = 0;
    std::vector<DmaLogEntry> writes_;
    std::map<uint32_t, DmaLogFlow> flows_;
    uint64_t writes_left_out_ = 0;
    std::vector<ForbiddenAsked> forbidden_;
    std::optional<DriverWatched> watched_;
};

// Lines of a trace.jsonl, all of one test of that name.
std::string trace_lines(const std::vector<Event>& events, const std::string& name);

}  // namespace zcrxlab
