// Fuzz session: random lists in VM after VM, what they reached, and how they failed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/stop_signals.hpp"
#include "lists/fuzz/corpus.hpp"
#include "lists/fuzz/model.hpp"
#include "lists/fuzz/reach.hpp"
#include "lists/runs/list_runs.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

struct FuzzOptions {
    VmOptions vm;            // its seed is that of the lists; out "" is zcrxlab-fuzz
    unsigned seconds = 600;  // no batch is begun after these
    uint64_t lists = UINT64_MAX;
    unsigned jobs = 1;     // VMs side by side
    unsigned batch = 50;   // lists for each VM
    bool lenient = false;  // features that the kernel should have may be missing
    bool print = false;    // the lists, and nothing else
    std::string corpus;    // a folder of lists worth keeping; "": none
    std::string self;
};

ModelOptions model_options(const FuzzOptions& options);

class FuzzSession {
  public:
    // `options` is borrowed.
    explicit FuzzSession(const FuzzOptions& options);
    // Until the time or the lists are up, or somebody presses Ctrl-C; the exit code of the command.
    int run();

  private:
    struct Planned {
        uint64_t number = 0;   // of the list
        bool resumed = false;  // it comes from the corpus
        ActionList list;
        bool done = false;
    };
    struct Found {
        size_t times = 0;
        size_t shown = 0;        // times, when they were shown last
        double first_after = 0;  // seconds
        std::string first_list;
        std::string sentence;  // of the first one, for people
        std::filesystem::path folder;
        bool kernel_known = false;
    };

    double seconds() const;
    bool stopped();
    std::vector<Planned> plan_batch();
    ActionList list_for(uint64_t number) const;
    void work(unsigned job);
    // Runs what is not done yet of a batch.
    Result<void> run_planned(const std::string& name, std::vector<Planned>& planned);
    void take(Planned& planned, const ListOutcome& outcome, size_t reached);
    void take_failure(const Planned& planned, const ListOutcome& outcome);
    // What only the end of a batch tells.
    void name_kernel(const std::string& kernel);
    void show_progress();
    std::string left() const;
    void summarize() const;

    const FuzzOptions& options_;
    ListRuns runs_;
    ModelOptions model_;
    StopSignals signals_;  // before any thread is started
    std::atomic<bool> interrupted_ = false;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;  // of what follows
    std::condition_variable all_ended_;
    unsigned working_ = 0;
    Corpus corpus_;
    Reach reach_;
    // Lists of the corpus from here to there are to be taken up again.
    size_t resume_next_ = 0, resume_end_ = 0;
    uint64_t next_ = 0;
    size_t done_ = 0, skipped_ = 0, kept_ = 0, guests_lost_ = 0;
    std::map<std::string, Found> found_;
    std::optional<Error> error_;
};

}  // namespace zcrxlab
