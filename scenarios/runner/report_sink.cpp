// Writes records as frames and as lines.
#include "scenarios/runner/report_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/trace/trace.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

constexpr size_t kListKept = 4096;        // DMA log entries kept in one event
constexpr size_t kTraceRecord = 1 << 20;  // bytes of JSON in one kTrace record

// Text of any origin as UTF-8 that JSON can carry.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Frames : public ReportSink {
  public:
    explicit Frames(int fd) : fd_(fd) {}

    void plan(const RunPlan& plan) override {
        Json known = Json::object();
        for (const FeatureText& text : feature_texts())
            known[std::string(text.name)] = std::find(plan.features.begin(), plan.features.end(),
                                                      text.feature) != plan.features.end();
        Json json = {{"tests", plan.names},
                     {"seed", plan.seed},
                     {"slowness", plan.slowness},
                     {"features", known}};
        if (plan.dealt)
            json.update({{"dealt", true},
                         {"unfit", plan.unfit},
                         {"bounds", plan.bounds},
                         {"cpus", plan.cpus}});
        send(RecordType::kPlan, dump(json));
    }
    void started(const std::string& name) override {
        send(RecordType::kTestStarted, dump({{"name", name}}));
    }
    void ended(const TestResult& result) override {
        Json json = {{"name", result.name},
                     {"status", name_of(result.status)},
                     {"seconds", result.seconds},
                     {"message", result.message},
                     {"trace", result.trace}};
        if (result.status == TestStatus::kKnown || result.status == TestStatus::kBlocked)
            json["reference"] = result.reference;
        send(RecordType::kTestEnded, dump(json));
    }
    void trace(const std::string& name, std::span<const Event> events) override {
        const std::string head = "{\"test\":" + dump(name) + ",\"events\":[";
        std::string body;
        const auto flush = [&] {
            if (!body.empty()) send(RecordType::kTrace, head + body + "]}");
            body.clear();
        };
        for (const Event& event : events) {
            const std::string json = to_json(event);
            if (head.size() + json.size() + 2 > kRecordMaximum) continue;
            if (body.size() + json.size() > kTraceRecord) flush();
            if (!body.empty()) body += ',';
            body += json;
        }
        flush();
    }
    void kernel_log(const std::vector<KernelMessage>& messages) override {
        if (messages.empty()) return;
        Json lines = Json::array();
        for (const KernelMessage& message : messages) lines.push_back(message.text);
        send(RecordType::kKernelLog, dump({{"lines", std::move(lines)}}));
    }
    void measurement(const std::string& json) override { send(RecordType::kBench, json); }
    void profile(const std::string& test, const std::string& object,
                 const std::string& hex) override {
        send(RecordType::kProfile, dump({{"test", test}, {"object", object}, {"hex", hex}}));
    }
    void notice(const std::string& text) override {
        send(RecordType::kNotice, dump({{"text", text}}));
    }

  private:
    // If nobody listens any more, the host calls the guest lost.
    void send(RecordType type, const std::string& json) {
        static_cast<void>(send_record(fd_, type, json));
    }

    int fd_;
};

class Lines : public ReportSink {
  public:
    explicit Lines(bool with_trace) : with_trace_(with_trace) {}

    void plan(const RunPlan& plan) override {
        seed_ = plan.seed;
        std::printf("%zu scenarios, seed %llu\n", plan.names.size(),
                    static_cast<unsigned long long>(plan.seed));
    }
    void started(const std::string& name) override {
        std::printf("   ... %s\n", name.c_str());
        std::fflush(stdout);
    }
    void ended(const TestResult& result) override {
        std::printf("%s\n", to_line(result).c_str());
        if (result.status == TestStatus::kFailed) {
            const std::string rerun =
                "zcrx-scenarios --filter '" + result.name + "' --seed " + std::to_string(seed_);
            std::printf("%s", to_text(result, "", rerun, "").c_str());
        } else if (result.status == TestStatus::kPassed && !result.message.empty()) {
            std::printf("        %s\n", result.message.c_str());
        }
        std::fflush(stdout);
    }
    void trace(const std::string&, std::span<const Event> events) override {
        if (!with_trace_) return;
        for (const Event& event : events) {
            const uint64_t since = event.nanoseconds - events.front().nanoseconds;
            std::printf("    %10.3f ms  %s\n", static_cast<double>(since) / 1e6,
                        describe(event).c_str());
        }
    }
    void kernel_log(const std::vector<KernelMessage>&) override {}
    void measurement(const std::string& json) override { std::printf("    %s\n", json.c_str()); }
    void profile(const std::string&, const std::string&, const std::string&) override {}
    void notice(const std::string& text) override { std::printf("%s\n", text.c_str()); }

  private:
    bool with_trace_;
    uint64_t seed_ = 1;
};

}  // namespace

bool send_record(int fd, RecordType type, const std::string& json) {
    const std::vector<std::byte> frame = encode_record(type, json);
    std::span<const std::byte> rest(frame);
    while (!rest.empty()) {
        const ssize_t written = write(fd, rest.data(), rest.size());
        if (written > 0) {
            rest = rest.subspan(static_cast<size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd ready{fd, POLLOUT, 0};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

std::unique_ptr<ReportSink> frames_to(int fd) {
    return std::make_unique<Frames>(fd);
}
std::unique_ptr<ReportSink> lines_to_stdout(bool with_trace) {
    return std::make_unique<Lines>(with_trace);
}

std::vector<Event> bounded(std::span<const Event> events, size_t limit) {
    std::vector<Event> kept;
    const auto keep = [&kept](std::span<const Event> part) {
        for (const Event& event : part) {
            kept.push_back(event);
            auto* writes = std::get_if<DmaWrites>(&kept.back().body);
            if (writes == nullptr || writes->entries.size() <= kListKept) continue;
            const size_t left_out = writes->entries.size() - kListKept;
            writes->entries.erase(
                writes->entries.begin() + kListKept / 2,
                writes->entries.begin() + static_cast<std::ptrdiff_t>(kListKept / 2 + left_out));
            kept.push_back({event.nanoseconds,
                            Note{std::to_string(left_out) + " DMA writes of this list left out."}});
        }
    };
    if (events.size() <= limit) {
        keep(events);
        return kept;
    }
    const size_t half = limit / 2;
    keep(events.first(half));
    const Event& next = events[half];
    kept.push_back(
        {next.nanoseconds, Note{std::to_string(events.size() - 2 * half) + " events left out."}});
    keep(events.last(half));
    return kept;
}

}  // namespace zcrxlab
