// Laboratory: a kernel whose sources are changed in a twin of their tree, and the scenarios that
// run on what is built of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/coverage/coverage.hpp"
#include "harness/base/progress.hpp"
#include "harness/report/report.hpp"
#include "kernels/build/kernel_build.hpp"
#include "kernels/build/linked_tree.hpp"
#include "results/coverage/attempts.hpp"

namespace zcrxlab {

// What scenarios run on: a kernel, and options of "zcrxlab run" beside it.
struct Subject {
    std::filesystem::path kernel;
    std::vector<std::string> options;
};

// Says how many were noticed, and where the results are; the exit code: 0 all were noticed, 1 some
// were not, 64 some could not be tried.
int say_score(const std::vector<Attempt>& attempts, const std::filesystem::path& out);

class Laboratory {
  public:
    // Links the twin. Results go to --out.
    static Result<Laboratory> create(const CoverageOptions& options);

    LinkedTree& tree() { return tree_; }
    const std::filesystem::path& out() const { return out_; }
    // Where the kernel is that was built last.
    const std::filesystem::path& kernel() const { return plan_.output; }

    // All of what the twin is now. EIO with the first complaint.
    Result<void> build(const std::string& what);
    // The object of one source of the twin, "io_uring/zcrx.c", of a kernel that was built. EIO if
    // it does not compile.
    Result<std::string> object(const std::string& source) const;
    // A copy of the kernel that was built last, which later builds leave alone.
    Result<std::filesystem::path> keep_kernel(const std::string& name) const;

    // What was found before under the same terms; EEXIST if there are others.
    Result<std::vector<Attempt>> found_before(const std::string& terms) const;
    // Keeps what was found so far, should the rest be broken off.
    Result<void> keep(const Attempts& attempts) const;

    // The run that others are compared with. An Error if it did not end well.
    Result<void> run_reference(const Subject& subject);
    const RunSummary& reference() const { return reference_; }

    // Runs scenarios on a kernel with a mistake until a failure is proved by runs of its scenario
    // alone, on this kernel and on the one without. Those in `first` are asked before the others.
    // ECANCELED if a person ended it.
    Result<void> judge(Attempt& attempt, const Subject& with, const Subject& without,
                       const std::vector<std::string>& first);

  private:
    Laboratory(const CoverageOptions& options, KernelBuildPlan plan, LinkedTree tree,
               std::filesystem::path out);

    Result<bool> judge_once(Attempt& attempt, const Subject& with, const Subject& without,
                            const std::string& filter);
    Result<FailureRate> runs_alone(const std::string& name, const std::string& test,
                                   const Subject& subject, bool until_it_fails) const;
    Result<RunSummary> run_on(const Subject& subject, const std::string& name,
                              const std::string& filter, bool fail_fast) const;
    std::string vm_count(const std::string& filter) const;

    const CoverageOptions* options_;
    KernelBuildPlan plan_;
    LinkedTree tree_;
    std::filesystem::path out_;
    RunSummary reference_;
    std::map<std::string, FailureRate> without_;  // of scenarios alone, without a mistake
    unsigned patience_ = 0;                       // seconds
    Progress progress_ = progress_for_people();
};

}  // namespace zcrxlab
