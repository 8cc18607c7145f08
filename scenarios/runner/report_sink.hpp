// ReportSink: where the runner's records go: to the host as frames, or to a person as lines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/report/report.hpp"
#include "harness/trace/event.hpp"
#include "harness/trace/record.hpp"
#include "scenarios/framework/needs.hpp"

namespace zcrxlab {

// What a run is about to do.
struct RunPlan {
    std::vector<std::string> names;
    uint64_t seed = 1;
    double slowness = 1;            // by which every time bound was multiplied
    std::vector<Feature> features;  // those that the kernel has
    // Where somebody else says what is next (see Turns), what he has to know for that.
    bool dealt = false;
    std::vector<std::string> unfit;  // that can only be skipped here
    std::vector<int64_t> bounds;     // of each, in seconds
    std::vector<uint32_t> cpus;      // that each needs
};

class ReportSink {
  public:
    virtual ~ReportSink() = default;
    virtual void plan(const RunPlan& plan) = 0;
    virtual void started(const std::string& name) = 0;
    virtual void ended(const TestResult& result) = 0;
    // The trace of a test; long ones are cut (see bounded()).
    virtual void trace(const std::string& name, std::span<const Event> events) = 0;
    virtual void kernel_log(const std::vector<KernelMessage>& messages) = 0;
    // A result of a benchmark: the JSON of a kBench record.
    virtual void measurement(const std::string& json) = 0;
    // What the kernel had counted of one object at the end of a test; for programs.
    virtual void profile(const std::string& test, const std::string& object,
                         const std::string& hex) = 0;
    virtual void notice(const std::string& text) = 0;
};

// One record into a descriptor, all of it. False once nobody reads there any more.
bool send_record(int fd, RecordType type, const std::string& json);

// Frames into a descriptor (harness/trace/record.hpp), which stays the caller's.
std::unique_ptr<ReportSink> frames_to(int fd);
// Lines on standard output, with every event if `with_trace`.
std::unique_ptr<ReportSink> lines_to_stdout(bool with_trace);

// At most `limit` events: the first and the last half, a Note in between says what was left out;
// long lists inside an event are cut in the same way.
std::vector<Event> bounded(std::span<const Event> events, size_t limit);

}  // namespace zcrxlab
