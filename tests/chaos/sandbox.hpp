// Sandbox: a cache, a folder for sockets and results of its own for each case, zcrxlab started in
// it, and what is left of both behind it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/child_process.hpp"
#include "harness/report/report.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {

// From main(): the folder of our programs, and a cache that is whole.
struct ChaosOrder {
    std::filesystem::path programs, cache;
};
ChaosOrder& chaos_order();

struct Ended {
    int code = 0;  // 128 + signal where one killed it
    double seconds = 0;
    std::string output, error;
};

// A program of ours that runs.
class Started {
  public:
    Started(ChildProcess process, std::filesystem::path output, std::filesystem::path error);

    int pid() const { return process_.pid(); }
    bool runs() { return !process_.status(); }
    void signal(int number) { process_.signal(number); }
    // Of standard output and error so far.
    std::string said() const;
    // Waits until it has said `words`, or has ended; whether it has said them.
    bool says(std::string_view words);
    // Its child whose command line has the word `argument`; -1 if there is none.
    int child_with(std::string_view argument) const;
    // Waits for its end, and kills it if that does not come within `bound`: code -1.
    Ended end(std::chrono::seconds bound = std::chrono::seconds(400));

  private:
    ChildProcess process_;
    std::filesystem::path output_, error_;
    std::chrono::steady_clock::time_point began_;
};

class Chaos : public testing::Test {
  protected:
    Chaos();
    ~Chaos() override;

    // Starts `program` (zcrxlab, zcrx-run) or the words of a shell behind it.
    Started start(const std::vector<std::string>& words);
    Started shell(const std::string& script);
    Ended run(const std::vector<std::string>& words) { return start(words).end(); }

    // For the line of this case.
    void is(const std::string& command, const std::string& expected);
    void saw(const std::string& seen) { seen_ += (seen_.empty() ? "" : "; ") + seen; }
    void saw(const Ended& ended);

    std::filesystem::path folder() const { return scratch_.path(); }
    std::filesystem::path out() const { return folder() / "out"; }
    // A copy of the cache, which may be damaged; the first call makes it.
    std::filesystem::path own_cache();
    // An empty file system of so many bytes in memory; nothing where we may not mount one.
    std::optional<std::filesystem::path> small_disk(uint64_t bytes);
    // The verdicts in results.json; nothing if that is none.
    std::optional<RunSummary> results() const;
    // Processes and files that are still there, a line each.
    std::string left() const;

  private:
    TemporaryFolder scratch_;
    std::filesystem::path cache_;
    std::vector<std::filesystem::path> mounts_;
    std::string command_, expected_, seen_;
};

// Waits until `is_so`; whether it came to be within `bound`.
bool becomes(const std::function<bool()>& is_so,
             std::chrono::seconds bound = std::chrono::seconds(120));

}  // namespace zcrxlab
