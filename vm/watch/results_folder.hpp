// ResultsFolder: --out, held by one run at a time, and the files that a run leaves in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "harness/trace/record.hpp"

namespace zcrxlab {

class ResultsFolder {
  public:
    // Creates it, and removes the files that an earlier run left there. `wanted` empty:
    // ./zcrxlab-out, or zcrxlab-out-2, -3 ... while other runs write there. EBUSY if another run
    // has the wanted one.
    static Result<ResultsFolder> open(const std::filesystem::path& wanted);

    // The folder of one of several VMs of a run, vm1, vm2 ... inside this one.
    Result<ResultsFolder> of_vm(unsigned number) const;

    std::filesystem::path file(std::string_view name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

    // As things arrive.
    void console(std::string_view bytes);
    void qemu_error(std::string_view bytes);
    // kTrace, kKernelLog, kProfile and kTestEnded records; others are left alone. The last two are
    // in profile.jsonl and ended.jsonl at once, for who looks on.
    void record(const Record& record);

    // What there is at the end: of the VM, and of the run.
    Result<void> finish_logs();
    Result<void> write_reports(const RunSummary& run);
    Result<void> write(std::string_view name, std::string_view content);

  private:
    ResultsFolder(std::filesystem::path path, Fd lock);

    std::filesystem::path path_;
    Fd lock_;
    std::ofstream console_, trace_, profile_, ended_, qemu_log_;
    size_t qemu_bytes_ = 0;
    std::vector<std::string> boot_lines_, later_lines_;  // of the kernel log
    bool started_ = false;
};

}  // namespace zcrxlab
