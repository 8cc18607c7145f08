// Makes events from the guest's reports, the capture, and the NIC's log.
#include "results/exec/exec_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/trace/trace.hpp"
#include "results/exec/kernel_histogram.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

constexpr int64_t kSecond = 1'000'000'000;
// What a trace keeps of the NIC's log: the newest.
constexpr size_t kMostWrites = 20'000;
// Writes of so long, or so many, are one event.
constexpr int64_t kBatch = kSecond / 10;
constexpr size_t kMostInBatch = 256;

double seconds_in(const Json& json) {
    const double number = get_or(json, "seconds", 0.0);
    return number >= 0 && number < 1e7 ? number : 0;
}

int64_t since_epoch(auto time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// The last time of the guest that makes sense: some months.
constexpr int64_t kLatest = int64_t{10'000'000} * kSecond;

uint64_t event_time(int64_t at) {
    return static_cast<uint64_t>(std::clamp<int64_t>(at, 0, 2 * kLatest));
}

}  // namespace

HostMoment HostMoment::now() {
    return {since_epoch(std::chrono::steady_clock::now()),
            since_epoch(std::chrono::system_clock::now())};
}

void ExecTrace::note(double seconds, uint32_t thread, std::string text) {
    const auto at = started_ + std::llround(seconds * static_cast<double>(kSecond));
    told_.push_back({event_time(at), Note{std::move(text)}, thread});
}

void ExecTrace::program(std::string_view text, const HostMoment& now) {
    const Result<Json> parsed = parse_json_object(text);
    if (!parsed) return;
    const Json& json = *parsed;
    const std::string event = get_text(json, "event");
    if (event == "started" && !begin_) {
        const uint64_t monotonic = get_or<uint64_t>(json, "monotonic", 0);
        if (monotonic == 0 || monotonic > static_cast<uint64_t>(kLatest)) return;
        begin_ = now;
        started_ = static_cast<int64_t>(monotonic);
        pid_ = static_cast<uint32_t>(get_or<uint64_t>(json, "pid", 0));
        note(0, pid_, "the program was started");
    }
    if (!begin_) return;
    if (event == "zcrx-time") moment(get_object(json, "counts"), seconds_in(json));
    if (event != "ended") return;
    const double theirs = seconds_in(json);
    const double ours = static_cast<double>(now.monotonic - begin_->monotonic) / 1e9;
    // The way of the two records is no matter of the clock.
    if (theirs > 1 && ours > 1 && std::abs(ours - theirs) > 0.1 * theirs) stretch_ = ours / theirs;
    const auto signal = get_or<uint64_t>(json, "signal", 0);
    note(seconds_in(json), pid_,
         signal != 0
             ? fmt::format("the program was killed by signal {}", signal)
             : fmt::format("the program exited with {}", get_or<uint64_t>(json, "exit", 0)));
}

// The counts go on; what has changed since the last time is told.
void ExecTrace::moment(const Json& counts, double seconds) {
    if (counts.empty()) return;
    const auto rows = [&](const char* probe) { return parse_histograms(get_text(counts, probe)); };
    std::map<int64_t, Task> now;
    for (const HistogramRow& row : rows("piece")) {
        const auto key = row.keys.find("common_pid");
        const auto name = key == row.keys.end() ? std::nullopt : parse_task(key->second);
        if (!name || row.number("ok") != 1) continue;
        Task& task = now[name->pid];
        task.name = name->name;
        task.bytes += row.value("len");
        task.pieces += row.value("hitcount");
    }
    for (const auto& [pid, task] : now)
        if (task.pieces != tasks_[pid].pieces)
            note(seconds, static_cast<uint32_t>(pid),
                 fmt::format("{} has received {} bytes in {} pieces so far", task.name, task.bytes,
                             task.pieces));
    tasks_ = std::move(now);
    uint64_t returned = 0, buffers = 0;
    for (const HistogramRow& row : rows("returned")) returned += row.value("refs");
    for (const HistogramRow& row : rows("buffers"))
        if (!row.has("ret")) buffers += row.value("hitcount") + row.value("more");
    // A kernel that cannot be asked for one of these has no histogram of it.
    const auto counted = [&](const char* probe) { return !get_text(counts, probe).empty(); };
    if (buffers != buffers_ && counted("buffers"))
        note(seconds, pid_, fmt::format("the driver has got {} buffers so far", buffers));
    if (returned != returned_ && counted("returned"))
        note(seconds, pid_, fmt::format("the kernel has taken {} pieces back so far", returned));
    returned_ = returned;
    buffers_ = buffers;
}

void ExecTrace::kernel_log(std::string_view text) {
    const Result<Json> json = parse_json_object(text);
    if (!json) return;
    for (const std::string& words : get_all<std::string>(*json, "lines")) {
        if (words.empty() || words.front() != '[') continue;
        const double seconds = std::strtod(words.c_str() + 1, nullptr);
        if (!(seconds > 0 && seconds < 1e7)) continue;
        told_.push_back({event_time(std::llround(seconds * static_cast<double>(kSecond))),
                         KernelMessage{6, words}, 0});
    }
}

void ExecTrace::device(const DmaWrites& log) {
    for (const DmaLogEntry& entry : log.entries)
        if (entry.port == 0) writes_.push_back(entry);
    for (const DmaLogFlow& flow : log.flows) flows_.insert_or_assign(flow.flow, flow);
    writes_left_out_ += log.lost;
    if (writes_.size() <= kMostWrites) return;
    const size_t more = writes_.size() - kMostWrites;
    writes_left_out_ += more;
    writes_.erase(writes_.begin(), writes_.begin() + static_cast<ptrdiff_t>(more));
}

void ExecTrace::driver(std::vector<ForbiddenAsked> asked, uint64_t lost) {
    forbidden_ = std::move(asked);
    watched_ = DriverWatched{.lost = lost};
}

std::vector<Event> ExecTrace::events(const std::vector<Frame>& frames,
                                     const ZcrxReport& report) const {
    if (!begin_) return {};
    std::vector<Event> all;
    for (const Event& event : told_) {
        // What came before the program is in kernel.log.
        if (event.nanoseconds < static_cast<uint64_t>(started_)) continue;
        all.push_back(event);
        const auto since = static_cast<int64_t>(event.nanoseconds) - started_;
        all.back().nanoseconds =
            event_time(started_ + std::llround(static_cast<double>(since) * stretch_));
    }

    uint32_t stream = 0;
    // A SYN that was not answered in time is sent again, and is no connection more.
    std::set<std::tuple<uint8_t, uint16_t, uint16_t, uint32_t>> seen;
    for (const Frame& frame : frames) {
        if (frame.port != 0 || !frame.syn || frame.ack) continue;
        const int64_t at = guest_of_wall(static_cast<int64_t>(frame.nanoseconds));
        if (at < started_) continue;
        if (!seen.emplace(frame.family, frame.source_port, frame.destination_port, frame.sequence)
                 .second)
            continue;
        uint32_t thread = pid_;
        for (const ZcrxConnection& connection : report.connections())
            if (connection.remote_port == frame.source_port &&
                connection.local_port == frame.destination_port && connection.pid > 0)
                thread = static_cast<uint32_t>(connection.pid);
        all.push_back(
            {event_time(at),
             ConnectionOpened{++stream, 0, frame.family, frame.source_port, frame.destination_port},
             thread});
    }

    // The NIC's stamps are microseconds of this machine's clock, modulo 2^32: each is next to the
    // one before.
    int64_t host = begin_->monotonic / 1000;
    DmaWrites batch;
    std::set<uint32_t> named;  // the flows of a batch
    int64_t first = 0, last = 0;
    const auto put = [&] {
        if (batch.entries.empty()) return;
        for (const uint32_t flow : named)
            if (const auto found = flows_.find(flow); found != flows_.end())
                batch.flows.push_back(found->second);
        all.push_back({event_time(last), std::move(batch), pid_});
        batch = {};
        named.clear();
    };
    for (const DmaLogEntry& entry : writes_) {
        host += static_cast<int32_t>(entry.written.get() - static_cast<uint32_t>(host));
        const int64_t at = host * 1000 - begin_->monotonic + started_;
        if (at < started_) continue;
        if (batch.entries.size() == kMostInBatch || at - first > kBatch) put();
        if (batch.entries.empty()) first = at;
        batch.entries.push_back(entry);
        named.insert(entry.flow);
        last = at;
    }
    put();
    std::ranges::stable_sort(all, {}, &Event::nanoseconds);
    // It came to light at the end.
    const uint64_t end = all.empty() ? event_time(started_) : all.back().nanoseconds;
    for (const ForbiddenAsked& asked : forbidden_) all.push_back({end, asked, 0});
    if (watched_) all.push_back({end, *watched_, 0});
    if (writes_left_out_ != 0)
        all.push_back({end, Note{fmt::format("{} events left out.", writes_left_out_)}, pid_});
    return all;
}

std::string trace_lines(const std::vector<Event>& events, const std::string& name) {
    std::string lines;
    for (const Event& event : events) {
        Json json = Json::parse(to_json(event), nullptr, false);
        json["test"] = name;
        lines += json_text(json) + "\n";
    }
    return lines;
}

}  // namespace zcrxlab
