// Generation: the mistakes of --generate, several of them tried at once.
//
// All that a source has in the functions that are in scope are in one kernel, each behind a number
// that neither a sample nor a share changes; those that cannot be switched on in a running kernel
// are built one at a time. They are tried by lot, so that what is broken off is a
// sample. Only scenarios that come by a mistake are asked about it, and what a few do not notice is
// compiled alone, to see whether it is other code at all, before all are asked. What was found in
// the same folder before is not tried again.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/judge.hpp"
#include "cli/coverage/laboratory.hpp"
#include "cli/coverage/mutated_source.hpp"
#include "cli/coverage/noticers.hpp"
#include "cli/coverage/shared_laboratory.hpp"
#include "harness/base/progress.hpp"
#include "results/coverage/attempts.hpp"
#include "results/coverage/mutation_page.hpp"
#include "results/coverage/scope.hpp"

namespace zcrxlab {

class Generation {
  public:
    // Keeps what it finds in `out`; `unnoticeable` has lists of what nobody could notice. Of a
    // source that `scope` does not name, all functions are in scope. Options and laboratory have
    // to live as long.
    Generation(const CoverageOptions& options, Laboratory& laboratory, std::filesystem::path out,
               std::filesystem::path unnoticeable, Scope scope);

    // ECANCELED if a person ended it; called again, it goes on from there.
    Result<void> run();
    // All that is known, also what earlier calls found, in the order of the sources; and where the
    // lists do not fit.
    MutationReport report() const;
    // How many are still to be tried.
    size_t left() const;

  private:
    // Source, line, name.
    using Key = std::tuple<std::string, uint32_t, std::string>;

    Result<void> read_sources();
    Result<void> read_found(const std::filesystem::path& folder);
    void take_up(const MutatedSource& source);
    Result<void> read_left(const std::filesystem::path& folder, const std::string& sources);
    Result<void> read_source(const std::string& path);
    // "", or how many of its functions are in scope.
    std::string words_of_scope(const std::string& path) const;
    Result<std::vector<Mutant>> mutants_in_scope(const std::string& path,
                                                 std::string_view text) const;
    Result<std::vector<Mutant>> share_of(std::vector<Mutant> mutants) const;
    Result<void> set_aside_by_hand(const std::string& path, std::string_view text,
                                   const std::vector<Mutant>& all,
                                   const std::vector<Mutant>& picked);
    Result<void> keep_patch(const Mutant& mutant, std::string_view text,
                            const std::string& path) const;

    struct Kernels {
        std::filesystem::path as_it_is, switched;
    };
    Result<void> try_all();
    Result<Kernels> build_kernels();
    Result<void> run_references(const Kernels& kernels);
    // `lane`: one of so many at once.
    Result<void> try_one(MutatedSource& source, size_t i, const Kernels& kernels, unsigned lane);
    Result<void> ask(Attempt& attempt, MutatedSource& source, size_t i, const Subject& with,
                     const Subject& without);
    Result<void> add(Attempt attempt);
    Result<void> keep() const;
    std::vector<Attempt> attempts() const;

    struct Source {
        MutatedSource mutated;     // with all its mistakes
        std::vector<size_t> left;  // of these, what is to be tried
    };
    // All that is to be tried, in an order that only the seed says.
    std::vector<std::pair<Source*, size_t>> by_lot();

    const CoverageOptions& options_;
    SharedLaboratory laboratory_;
    std::filesystem::path out_, unnoticeable_;
    Scope scope_;
    std::vector<Judge> judges_;  // one for each NIC, in the order in which they are asked
    std::string terms_;
    std::vector<Source> sources_;
    std::map<Key, Attempt> found_;
    std::optional<std::set<Key>> asked_for_;  // of --left-by; unset: all
    std::vector<std::string> misfits_;
    Noticers noticers_;
    Progress progress_ = progress_for_people();
};

}  // namespace zcrxlab
