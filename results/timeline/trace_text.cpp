// Reads trace.jsonl and device.log: lines of JSON.
#include <fmt/format.h>

#include <optional>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"
#include "harness/trace/event_json.hpp"
#include "results/timeline/recording.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

// Calls take(line, number) for each line until it returns an error. A file without an end of its
// last line was cut.
template <typename Take>
Result<void> each_line(std::string_view text, Take&& take) {
    size_t number = 0;
    while (!text.empty()) {
        ++number;
        const size_t end = text.find('\n');
        if (end == std::string_view::npos)
            return Error{EINVAL, fmt::format("line {}, the last one, has no end: the file was cut. "
                                             "To see the rest, remove that line (sed -i '$d').",
                                             number)};
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty()) continue;
        if (std::optional<std::string> wrong = take(line))
            return Error{EINVAL, fmt::format("line {}: {}", number, *wrong)};
    }
    return {};
}

// "3897 events left out.", which is what the runner says in place of events; else 0.
uint64_t events_left_out(const Note& note) {
    constexpr std::string_view kEnd = " events left out.";
    if (!note.text.ends_with(kEnd) || note.text.size() > kEnd.size() + 18) return 0;
    uint64_t number = 0;
    for (const char c : note.text.substr(0, note.text.size() - kEnd.size())) {
        if (c < '0' || c > '9') return 0;
        number = number * 10 + static_cast<uint64_t>(c - '0');
    }
    return number;
}

// Whether the clock of these begins again with `next`.
bool begins_again(const std::vector<Event>& events, const Event& next) {
    return next.nanoseconds <= events.front().nanoseconds &&
           next.nanoseconds < events.back().nanoseconds;
}

void add(std::vector<RecordedTest>& tests, std::string name, Event event) {
    // Two runs of one scenario may stand in one file, the second with a clock that begins again.
    if (tests.empty() || tests.back().name != name || begins_again(tests.back().events, event))
        tests.push_back({.name = std::move(name)});
    RecordedTest& test = tests.back();
    if (const auto* note = std::get_if<Note>(&event.body)) {
        test.left_out += events_left_out(*note);
        test.log_cut = test.log_cut || note->text.ends_with(" DMA writes of this list left out.");
    }
    test.events.push_back(std::move(event));
}

}  // namespace

Result<std::vector<RecordedTest>> read_trace(std::string_view text) {
    std::vector<RecordedTest> tests;
    auto read = each_line(text, [&](std::string_view line) -> std::optional<std::string> {
        const Result<Json> json = parse_json(line);
        if (!json) return json.error().sentence;
        Result<Event> event = event_from_json(*json);
        if (!event) return event.error().sentence;
        if (event->nanoseconds >= kLatestTime) return "the time of its event cannot be right";
        const Json* test = member(*json, "test");
        if (test != nullptr && !test->is_string()) return "the name of its test is no text";
        add(tests, test == nullptr ? "" : on_one_line(test->get_ref<const std::string&>()),
            std::move(*event));
        return {};
    });
    if (!read) return read.error();
    if (tests.empty()) return Error{EINVAL, "it is empty: no scenario of that run came to an end"};
    return tests;
}

Result<std::vector<DeviceLine>> read_device_log(std::string_view text) {
    std::vector<DeviceLine> lines;
    auto read = each_line(text, [&](std::string_view line) -> std::optional<std::string> {
        const Result<Json> json = parse_json_object(line);
        if (!json) return json.error().sentence;
        DeviceLine entry{get_or<uint64_t>(*json, "t", 0), get_or(*json, "port", 0U),
                         on_one_line(get_text(*json, "what")),
                         on_one_line(get_text(*json, "text"))};
        if (entry.what.empty()) return "it has no \"what\"";
        if (entry.nanoseconds >= kLatestTime) return "its time cannot be right";
        // That the file is full has no time.
        if (entry.nanoseconds == 0 && !lines.empty()) entry.nanoseconds = lines.back().nanoseconds;
        lines.push_back(std::move(entry));
        return {};
    });
    if (!read) return read.error();
    return lines;
}

}  // namespace zcrxlab
