// ResultsFolder: --out, held by one run at a time, and the files that a run leaves in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "harness/trace/record.hpp"
#include "vm/watch/limited_log.hpp"

namespace zcrxlab {

// What a guest can fill, in bytes.
struct ResultsLimits {
    uint64_t console = 64 << 20;
    uint64_t trace = 1 << 30;
    uint64_t kernel_log = 64 << 20;
    uint64_t profile = 256 << 20;
};

class ResultsFolder {
  public:
    // Creates it, with room kept free for what is written at the end, and removes the files that an
    // earlier run left there. `wanted` empty:
    // ./zcrxlab-out, or zcrxlab-out-2, -3 ... while other runs write there. EBUSY if another run
    // has the wanted one. Root's is none that another user could replace (EPERM, ELOOP). ENOSPC
    // if there is no such room.
    static Result<ResultsFolder> open(const std::filesystem::path& wanted,
                                      const ResultsLimits& limits = ResultsLimits());

    // The folder of one of several VMs of a run, vm1, vm2 ... inside this one.
    Result<ResultsFolder> of_vm(unsigned number) const;

    std::filesystem::path file(std::string_view name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

    // As things arrive.
    void console(std::string_view bytes);
    void qemu_error(std::string_view bytes);
    // kTrace, kKernelLog, kProfile and kTestEnded records; others are left alone. The last two are
    // in profile.jsonl and ended.jsonl at once, for who looks on, and ended.jsonl is on the disk a
    // second later.
    void record(const Record& record);

    // What there is at the end: of the VM, and of the run. Where a log has reached its limit, the
    // reports have a property "cut" that names it. All that can be written is; an Error has a
    // sentence with the path and reason of each file that is not whole.
    Result<void> finish_logs();
    Result<void> write_reports(const RunSummary& run);
    Result<void> write(std::string_view name, std::string_view content);

    ResultsFolder(ResultsFolder&&) = default;
    ResultsFolder& operator=(ResultsFolder&&) = default;
    ~ResultsFolder();

  private:
    ResultsFolder(std::filesystem::path path, Fd lock, const ResultsLimits& limits);
    void keep_kernel_lines(std::vector<std::string> lines, bool complete);
    Result<void> reserve() const;
    void release_reserve() const;
    // Whole, on the disk, or as it was.
    Result<void> write_whole(std::string_view name, std::string_view content) const;

    std::filesystem::path path_;
    Fd lock_;
    ResultsLimits limits_;
    LimitedLog console_, trace_, profile_, ended_, qemu_log_;
    std::chrono::steady_clock::time_point ended_synced_{};
    size_t qemu_bytes_ = 0;
    std::vector<std::string> boot_lines_, later_lines_;  // of the kernel log
    uint64_t kernel_bytes_ = 0;
    bool kernel_log_cut_ = false;
    bool started_ = false;
};

}  // namespace zcrxlab
