// Writes what a run leaves behind.
#include "vm/watch/results_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cstdio>
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
                            "ended.jsonl"};
// In the folders that we made inside a results folder, so that no other is ever removed.
constexpr const char* kMarker = ".of-one-vm";
// QEMU says the same thing at every access once the device's process is gone.
constexpr size_t kQemuLogLimit = 64 * 1024;
constexpr int kMostFolders = 64;

Result<Fd> open_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
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
      profile_(file("profile.jsonl"), limits.profile) {
    remove_files(path_);
    for (unsigned number = 1; fs::exists(path_ / vm_name(number) / kMarker); ++number) {
        remove_files(path_ / vm_name(number));
        std::error_code ignored;
        fs::remove(path_ / vm_name(number), ignored);
    }
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
}

void ResultsFolder::qemu_error(std::string_view bytes) {
    if (!qemu_log_.is_open()) qemu_log_.open(file("qemu.log"), std::ios::binary);
    bytes = bytes.substr(0, kQemuLogLimit - qemu_bytes_);
    qemu_bytes_ += bytes.size();
    qemu_log_ << bytes << std::flush;
}

void ResultsFolder::record(const Record& record) {
    if (record.type == RecordType::kTestStarted) started_ = true;
    if (record.type == RecordType::kProfile) {
        profile_.write(record.json + "\n");
        profile_.flush();
        return;
    }
    if (record.type == RecordType::kTestEnded) {
        if (!ended_.is_open()) ended_.open(file("ended.jsonl"), std::ios::binary);
        ended_ << record.json << "\n" << std::flush;
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
    for (const auto& [name, content] : reports)
        if (auto written = write(name, content); !written) return written;
    return {};
}

Result<void> ResultsFolder::finish_logs() {
    std::string log;
    for (const auto* lines : {&boot_lines_, &later_lines_})
        for (const std::string& line : *lines) log += line + "\n";
    if (auto written = write("kernel.log", log); !written) return written;
    for (LimitedLog* kept : {&console_, &trace_, &profile_}) kept->flush();
    if (!console_.good() || !trace_.good() || !profile_.good())
        return Error{ENOSPC, "Not all of the results could be written to " + path_.string() + "."};
    return {};
}

Result<void> ResultsFolder::write(std::string_view name, std::string_view content) {
    return write_file(file(name), content);
}

}  // namespace zcrxlab
