// Judge: finds out whether scenarios notice a mistake, and that nothing else made them fail.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/coverage/laboratory.hpp"
#include "results/coverage/attempts.hpp"

namespace zcrxlab {

class Judge {
  public:
    // `vms`: as many VMs side by side; 0: as many as the first run takes. `first_vms`: those of
    // that one, which nothing runs beside; 0: as many as a run takes. `nic`: that of the runs;
    // empty: as a person said. The laboratory has to live as long.
    Judge(Laboratory& laboratory, std::string filter, unsigned vms, unsigned first_vms,
          std::string nic = {})
        : laboratory_(&laboratory),
          filter_(std::move(filter)),
          vms_(vms),
          first_vms_(first_vms),
          nic_(std::move(nic)) {}

    const std::string& nic() const { return nic_; }

    // The run that others are compared with, and that tells who comes by what. EIO if it did not
    // end well.
    Result<void> run_reference(const Subject& without);
    // EIO if what `without` is made of is another kernel than `as_it_is`: a scenario fails on it,
    // again when it runs alone, and passes on the other.
    Result<void> compare_reference(const Subject& without, const Subject& as_it_is);
    const RunSummary& reference() const { return reference_; }
    const ReachedMistakes& reached() const { return reached_; }

    // Runs scenarios on a kernel with a mistake until a failure is proved by runs of its scenario
    // alone, on this kernel and on the one without. A guest that is lost or falls silent has to be
    // lost again; one that panics says why. Only those in `reaching` are asked, or all without it.
    // ECANCELED if a person ended it.
    Result<void> judge(Attempt& attempt, const Subject& with, const Subject& without,
                       const std::optional<std::set<std::string>>& reaching = {});
    // The same with a few scenarios, in one run: that they notice nothing says little. None is
    // asked of an empty list.
    Result<void> judge_few(Attempt& attempt, const Subject& with, const Subject& without,
                           const std::vector<std::string>& few);

  private:
    Result<bool> judge_once(Attempt& attempt, const Subject& with, const Subject& without,
                            const std::string& filter);
    Result<FailureRate> runs_alone(const std::string& name, const std::string& test,
                                   const Subject& subject, bool until_it_fails);
    Result<RunSummary> run(const Subject& subject, const std::string& name,
                           const std::string& filter, bool fail_fast);
    std::vector<std::string> whom_to_ask(const std::optional<std::set<std::string>>& reaching,
                                         const std::vector<std::string>& but) const;
    std::string any_sound_test() const;
    // Of what a run of that name leaves.
    std::string place_of(const std::string& name) const;
    // VMs of runs with that filter, where so many were asked for; empty: as many as a run takes.
    std::string vms_for(const std::string& filter, unsigned wanted) const;
    // Of the first run; empty if it does not say so.
    std::string vms_of_reference() const;

    Laboratory* laboratory_;
    std::string filter_;
    unsigned vms_, first_vms_;
    std::string nic_;
    RunSummary reference_;
    ReachedMistakes reached_;
    std::map<std::string, FailureRate> without_;  // of scenarios alone, without a mistake
    unsigned patience_ = 0;                       // seconds
};

}  // namespace zcrxlab
