// The files of a run that a timeline is made of.
#include "results/timeline/trace_files.hpp"

#include "harness/base/file.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

std::string vm_name(unsigned number) {
    return "vm" + std::to_string(number);
}

}  // namespace

Result<std::vector<fs::path>> traces_at(const fs::path& where) {
    std::error_code error;
    if (!fs::exists(where, error))
        return Error{ENOENT, "There is no " + where.string() +
                                 "; name the folder of a run (its --out) or a trace.jsonl in it."};
    if (!fs::is_directory(where, error)) return std::vector{where};
    if (fs::exists(where / "trace.jsonl", error)) return std::vector{where / "trace.jsonl"};
    std::vector<fs::path> traces;
    for (unsigned number = 1; fs::is_directory(where / vm_name(number), error); ++number)
        if (const fs::path trace = where / vm_name(number) / "trace.jsonl";
            fs::exists(trace, error))
            traces.push_back(trace);
    if (traces.empty())
        return Error{ENOENT, "There is no trace.jsonl in " + where.string() +
                                 "; name the folder of a run (its --out)."};
    return traces;
}

Result<Recording> read_recording(const fs::path& trace, std::vector<std::string>& notes) {
    Recording recording;
    Result<std::string> text = read_file(trace);
    if (!text) return text.error();
    Result<std::vector<RecordedTest>> tests = read_trace(*text);
    if (!tests)
        return Error{EINVAL, trace.string() + " is no whole trace: " + tests.error().sentence};
    recording.tests = std::move(*tests);

    const auto leave_out = [&](const fs::path& path, const std::string& why) {
        notes.push_back(path.string() + " is left out: " + why);
    };
    std::error_code error;
    if (const fs::path path = trace.parent_path() / "wire.pcapng"; fs::exists(path, error)) {
        const Result<std::string> bytes = read_file(path);
        if (!bytes) {
            leave_out(path, bytes.error().sentence);
        } else if (Result<Capture> capture = read_capture(std::as_bytes(std::span(*bytes)))) {
            recording.frames = std::move(capture->frames);
            if (capture->cut) notes.push_back(path.string() + " was cut in its last packet.");
        } else {
            leave_out(path, capture.error().sentence);
        }
    }
    if (const fs::path path = trace.parent_path() / "device.log"; fs::exists(path, error)) {
        const Result<std::string> lines = read_file(path);
        if (!lines) {
            leave_out(path, lines.error().sentence);
        } else if (auto log = read_device_log(*lines)) {
            recording.device = std::move(*log);
        } else {
            leave_out(path, log.error().sentence);
        }
    }
    return recording;
}

std::optional<RunSummary> results_of(const fs::path& trace) {
    std::error_code error;
    const fs::path folder = fs::absolute(trace, error).parent_path();
    for (const fs::path& place : {folder, folder.parent_path()}) {
        const Result<std::string> text = read_file(place / "results.json");
        if (!text) continue;
        Result<RunSummary> results = summary_from_json(*text);
        if (results) return std::move(*results);
    }
    return {};
}

}  // namespace zcrxlab
