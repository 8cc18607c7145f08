// Writes what a run leaves behind.
#include "vm/watch/results_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/base/file.hpp"
#include "harness/base/json.hpp"
#include "vm/watch/root_folder.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::array kFiles{"results.tap", "results.xml",      "results.json", "console.log",
                            "kernel.log",  "trace.jsonl",      "device.log",   "virtiofsd.log",
                            "exec.json",   "peer.log",         "wire.pcapng",  "qemu.log",
                            "guest.cpio",  "qemu-command.txt", "bench.json",   "profile.jsonl",
                            "ended.jsonl", ".reserve"};
// In the folders that we made inside a results folder, so that no other is ever removed.
constexpr const char* kMarker = ".of-one-vm";
// QEMU says the same thing at every access once the device's process is gone.
constexpr size_t kQemuLogLimit = 64 * 1024;
constexpr uint64_t kEndedLimit = 256 << 20;
// Verdicts of a thousand scenarios are shorter, but those of many failures need more.
constexpr uint64_t kEndedReserve = 2 << 20;
// Each takes a millisecond or ten, in which no guest is heard.
constexpr std::chrono::seconds kSyncInterval{1};
// Reports of a thousand scenarios and the kernel log of a long run are smaller. Whatever fills the
// disk meanwhile, it does not take these along.
constexpr const char* kReserve = ".reserve";
constexpr off_t kReserveBytes = 4 << 20;
constexpr int kMostFolders = 64;

Result<Fd> open_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error)
        return Error{error.value(), "Cannot make the results folder " + path.string() + ": " +
                                        error.message() + "; name another one with --out."};
    Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return error_from_errno("open the results folder " + path.string());
    return folder;
}

Result<Fd> lock_folder(const fs::path& path) {
    auto opened =
        is_root_of_the_machine() ? open_folder_as_root(fs::absolute(path)) : open_folder(path);
    if (!opened) return opened;
    if (::flock(opened->get(), LOCK_EX | LOCK_NB) != 0)
        return Error{EBUSY, "Another run writes its results to " + path.string() +
                                "; name another folder with --out."};
    return opened;
}

std::string vm_name(unsigned number) {
    return "vm" + std::to_string(number);
}

// Of none: success.
Result<void> all_of(const std::vector<Error>& failures) {
    if (failures.empty()) return {};
    std::string sentences;
    for (const Error& failure : failures)
        sentences += (sentences.empty() ? "" : "; ") + failure.sentence;
    return Error{failures.front().code, "Results are missing: " + sentences + "."};
}

// What an earlier run left, and nothing else.
void remove_files(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : kFiles) fs::remove(folder / name, ignored);
    fs::remove(folder / kMarker, ignored);
}

}  // namespace

ResultsFolder::ResultsFolder(fs::path path, Fd lock, const ResultsLimits& limits)
    : path_(std::move(path)),
      lock_(std::move(lock)),
      limits_(limits),
      console_(file("console.log"), limits.console),
      trace_(file("trace.jsonl"), limits.trace),
      profile_(file("profile.jsonl"), limits.profile),
      ended_(file("ended.jsonl"), kEndedLimit),
      qemu_log_(file("qemu.log"), kQemuLogLimit) {
    remove_files(path_);
    for (unsigned number = 1; fs::exists(path_ / vm_name(number) / kMarker); ++number) {
        remove_files(path_ / vm_name(number));
        std::error_code ignored;
        fs::remove(path_ / vm_name(number), ignored);
    }
}

ResultsFolder::~ResultsFolder() {
    if (lock_) release_reserve();
}

Result<ResultsFolder> ResultsFolder::open(const fs::path& wanted, const ResultsLimits& limits) {
    fs::path path = wanted.empty() ? fs::path("zcrxlab-out") : wanted;
    for (int number = 2;; ++number) {
        Result<Fd> lock = lock_folder(path);
        if (lock) {
            ResultsFolder folder(fs::absolute(path), std::move(*lock), limits);
            if (::access(path.c_str(), W_OK | X_OK) != 0)
                return Error{EACCES, "Cannot write to " + path.string() +
                                         "; name another folder with --out."};
            if (auto reserved = folder.reserve(); !reserved) return reserved.error();
            return folder;
        }
        if (!wanted.empty() || lock.error().code != EBUSY || number > kMostFolders)
            return lock.error();
        path = "zcrxlab-out-" + std::to_string(number);
    }
}

Result<ResultsFolder> ResultsFolder::of_vm(unsigned number) const {
    Result<ResultsFolder> folder = open(path_ / vm_name(number), limits_);
    if (!folder) return folder;
    if (auto marked = folder->write(kMarker, ""); !marked) return marked.error();
    return folder;
}

void ResultsFolder::console(std::string_view bytes) {
    console_.write(bytes);
    console_.flush();
}

void ResultsFolder::qemu_error(std::string_view bytes) {
    bytes = bytes.substr(0, kQemuLogLimit - qemu_bytes_);
    qemu_bytes_ += bytes.size();
    qemu_log_.write(bytes);
    qemu_log_.flush();
}

void ResultsFolder::record(const Record& record) {
    if (record.type == RecordType::kTestStarted) started_ = true;
    if (record.type == RecordType::kProfile) {
        profile_.write(record.json + "\n");
        profile_.flush();
        return;
    }
    if (record.type == RecordType::kTestEnded) {
        if (ended_synced_ == std::chrono::steady_clock::time_point()) ended_.reserve(kEndedReserve);
        ended_.write(record.json + "\n");
        ended_.flush();
        if (const auto now = std::chrono::steady_clock::now();
            now - ended_synced_ >= kSyncInterval) {
            ended_.sync();
            ended_synced_ = now;
        }
        return;
    }
    if (record.type != RecordType::kTrace && record.type != RecordType::kKernelLog) return;
    const Result<Json> json = parse_json_object(record.json);
    if (!json) return;
    if (record.type == RecordType::kTrace) {
        const Json* events = member(*json, "events");
        if (events == nullptr || !events->is_array()) return;
        const std::optional<std::string> test = get<std::string>(*json, "test");
        for (Json event : *events) {
            if (!event.is_object()) continue;
            if (test) event["test"] = *test;
            trace_.write(json_text(event) + "\n");
        }
        return;
    }
    // Init's last record has every line since its first one; what scenarios sent in between were
    // the same lines, for the case that the guest does not get that far.
    keep_kernel_lines(get_all<std::string>(*json, "lines"), get_or(*json, "complete", false));
}

void ResultsFolder::keep_kernel_lines(std::vector<std::string> lines, bool complete) {
    if (complete) {
        for (const std::string& line : later_lines_) kernel_bytes_ -= line.size() + 1;
        later_lines_.clear();
    }
    std::vector<std::string>& kept = started_ || complete ? later_lines_ : boot_lines_;
    for (std::string& line : lines) {
        if (kernel_bytes_ + line.size() + 1 > limits_.kernel_log) {
            if (!kernel_log_cut_)
                std::fprintf(stderr,
                             "zcrxlab: kernel.log would be larger than %llu MiB; not all of it is "
                             "kept.\n",
                             static_cast<unsigned long long>(limits_.kernel_log >> 20));
            kernel_log_cut_ = true;
            return;
        }
        kernel_bytes_ += line.size() + 1;
        kept.push_back(std::move(line));
    }
}

Result<void> ResultsFolder::write_reports(const RunSummary& judged) {
    RunSummary run = judged;
    std::string cut;
    for (const LimitedLog* log : {&console_, &trace_, &profile_})
        if (log->cut()) cut += (cut.empty() ? "" : ", ") + log->name();
    if (kernel_log_cut_) cut += (cut.empty() ? "" : ", ") + std::string("kernel.log");
    if (!cut.empty()) run.properties.emplace_back("cut", cut);
    const std::array<std::pair<const char*, std::string>, 3> reports{
        {{"results.tap", to_tap(run)},
         {"results.xml", to_junit(run)},
         {"results.json", to_json(run)}}};
    release_reserve();
    std::vector<Error> failures;
    for (const auto& [name, content] : reports)
        if (auto written = write_whole(name, content); !written)
            failures.push_back(written.error());
    return all_of(failures);
}

Result<void> ResultsFolder::finish_logs() {
    std::string log;
    for (const auto* lines : {&boot_lines_, &later_lines_})
        for (const std::string& line : *lines) log += line + "\n";
    release_reserve();
    std::vector<Error> failures;
    if (auto written = write_whole("kernel.log", log); !written)
        failures.push_back(written.error());
    ended_.finish();
    for (LimitedLog* kept : {&console_, &trace_, &profile_, &ended_, &qemu_log_}) {
        kept->flush();
        if (kept->failure()) failures.push_back(*kept->failure());
    }
    return all_of(failures);
}

Result<void> ResultsFolder::reserve() const {
    const Fd fd(::open(file(kReserve).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const int code = !fd ? errno : ::fallocate(fd.get(), 0, 0, kReserveBytes) != 0 ? errno : 0;
    // Not every file system can keep room.
    if (code != ENOSPC && code != EDQUOT) return {};
    release_reserve();
    return Error{code, "There is no room for results in " + path_.string() + " (" +
                           std::strerror(code) + "); name another folder with --out."};
}

void ResultsFolder::release_reserve() const {
    std::error_code ignored;
    fs::remove(file(kReserve), ignored);
}

Result<void> ResultsFolder::write_whole(std::string_view name, std::string_view content) const {
    if (auto written = replace_file(file(name), content); !written) return written;
    const Fd fd(::open(file(name).c_str(), O_RDONLY | O_CLOEXEC));
    if (fd && ::fsync(fd.get()) != 0 && errno != EINVAL)
        return error_from_errno("write " + file(name).string());
    return {};
}

Result<void> ResultsFolder::write(std::string_view name, std::string_view content) {
    return write_file(file(name), content);
}

}  // namespace zcrxlab
