// Trials: kernels that a bisection tries, each once, over all calls that share a folder.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "results/bisect/trial_text.hpp"
#include "results/matrix/folder.hpp"
#include "results/matrix/matrix_runner.hpp"

namespace zcrxlab {

struct TrialSettings {
    std::filesystem::path folder;
    MatrixTerms terms;
    MatrixOrder order;
    std::string nic;
    unsigned jobs = 1;
    bool verbose = false;  // tell `progress` about each run, too
    Progress progress;
};

class Trials {
  public:
    // Called with each trial as it ends; fills in the judgement.
    using Tell = std::function<void(Trial&)>;

    // EBUSY if another one writes to the folder, EINVAL if what is there was made on other terms.
    static Result<Trials> open(TrialSettings settings);

    // Tries them; what is finished in the folder is not run again. False if it was interrupted.
    Result<bool> make(const std::vector<std::string>& kernels, const Tell& tell);

    // One that was made.
    Trial& of(const std::string& kernel) { return made_.at(kernel); }
    const std::filesystem::path& folder() const { return out_.path(); }

  private:
    Trials(TrialSettings settings, MatrixFolder out)
        : settings_(std::move(settings)), out_(std::move(out)) {}

    void take(const MatrixRun& run, bool earlier, const Tell& tell);

    TrialSettings settings_;
    MatrixFolder out_;
    std::map<std::string, MatrixRun> finished_;  // by earlier calls
    std::map<std::string, Trial> made_;
};

}  // namespace zcrxlab
