// KernelLaboratory: the real one. Sources are changed in a twin of their tree, make builds it, and
// "zcrxlab run" runs the scenarios.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/laboratory.hpp"
#include "harness/base/progress.hpp"
#include "kernels/build/kernel_build.hpp"
#include "kernels/build/linked_tree.hpp"

namespace zcrxlab {

class KernelLaboratory : public Laboratory {
  public:
    // Results go to `out`. The twin is linked when it is first written to or built.
    static Result<KernelLaboratory> create(const CoverageOptions& options,
                                           const std::filesystem::path& out);

    // The twin. A build has been made.
    LinkedTree& tree() { return *tree_; }

    Result<std::string> read(const std::string& source) override;
    Result<void> write(const std::string& source, const std::string& text) override;
    Result<std::string> compile(const std::string& source) override;
    Result<std::filesystem::path> build(const std::string& what) override;
    Result<std::filesystem::path> keep_kernel(const std::string& name) override;
    Result<RunSummary> run(const ScenarioRun& order) override;
    Result<ReachedMistakes> reach_of(const std::string& name) override;

  private:
    KernelLaboratory(const CoverageOptions& options, KernelBuildPlan plan,
                     std::filesystem::path original, std::filesystem::path out);
    Result<void> link();

    const CoverageOptions* options_;
    KernelBuildPlan plan_;
    std::optional<LinkedTree> tree_;
    std::filesystem::path original_, out_;  // the tree that is never written to
    Progress progress_ = progress_for_people();
};

}  // namespace zcrxlab
