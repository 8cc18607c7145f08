// Laboratory: a kernel in whose sources mistakes are made, and the scenarios that run on what is
// built of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "results/coverage/reached_mistakes.hpp"

namespace zcrxlab {

// What scenarios run on: a kernel, and options of "zcrxlab run" beside it.
struct Subject {
    std::filesystem::path kernel;
    std::vector<std::string> options;
};

struct ScenarioRun {
    Subject subject;
    std::string name;    // of what it leaves
    std::string filter;  // empty: all scenarios
    bool fail_fast = false;
    unsigned seconds = 0;      // that it may take; 0: as a person said
    std::string vms = {};      // side by side; empty: as fits
    std::string nic = {};      // empty: as a person said
    bool tells_reach = false;  // of a kernel with mistakes to switch on: who comes by which
};

class Laboratory {
  public:
    virtual ~Laboratory() = default;

    // A source as it is in the tree, "io_uring/zcrx.c". EINVAL if the tree does not have it.
    virtual Result<std::string> read(const std::string& source) = 0;
    // Puts `text` in the place of a source. The tree itself stays as it is.
    virtual Result<void> write(const std::string& source, const std::string& text) = 0;
    // The object of a source as it is written now, of a kernel that was built. EIO with all that
    // the compiler says if it does not compile.
    virtual Result<std::string> compile(const std::string& source) = 0;
    // The kernel of all that is written now; the next build puts another there. EIO with the first
    // complaint.
    virtual Result<std::filesystem::path> build(const std::string& what) = 0;
    // A copy of the kernel that was built last, which later builds leave alone.
    virtual Result<std::filesystem::path> keep_kernel(const std::string& name) = 0;
    // ECANCELED if a person ended it. Several threads may be in it at once, and nowhere else here.
    virtual Result<RunSummary> run(const ScenarioRun& order) = 0;
    // What the last run of that name told, if it was to tell. Empty if its kernel told nothing.
    virtual Result<ReachedMistakes> reach_of(const std::string& name) = 0;
};

}  // namespace zcrxlab
