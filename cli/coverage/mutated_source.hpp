// MutatedSource: one source of the kernel, and what a compiler says about the mistakes that are
// made in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/coverage/laboratory.hpp"
#include "kernels/mutations/mutants.hpp"

namespace zcrxlab {

class MutatedSource {
  public:
    // `text` is the source as it is, and `mutants` are of it. The laboratory has to live as long.
    MutatedSource(Laboratory& laboratory, std::string path, std::string text,
                  std::vector<Mutant> mutants)
        : laboratory_(&laboratory),
          path_(std::move(path)),
          text_(std::move(text)),
          mutants_(std::move(mutants)),
          set_aside_(mutants_.size()) {}

    const std::vector<Mutant>& mutants() const { return mutants_; }
    const std::string& path() const { return path_; }
    const std::string& text() const { return text_; }
    // Why nobody could notice it; empty if somebody could.
    const std::string& set_aside(size_t i) const { return set_aside_[i]; }
    // Whether it is in the kernel of put_switched().
    bool is_switched(size_t i) const { return !not_switched_.contains(i); }

    // Compiles the mistake alone: what is no code, or the same code, is set aside. The kernel has
    // been built.
    Result<void> compare(size_t i);

    // Leaves the source with all that can be switched. What stands where only a constant may stand
    // is left out, as the compiler says.
    Result<void> put_switched();
    // Leaves it with one mistake.
    Result<void> put_mutant(size_t i);
    // Leaves it as it is.
    Result<void> restore();

    // What makes this mistake in the kernel of put_switched(), for "zcrxlab run
    // --module-parameter": "kernel.mutant_zcrx=7".
    std::string setting(size_t i) const;
    // The scenarios that came by it there, as ReachedMistakes::tests_at().
    std::optional<std::set<std::string>> reached_by(size_t i, const ReachedMistakes& reached) const;
    // Whether a run of that kernel told of its mistakes at all.
    bool is_told_by(const ReachedMistakes& reached) const;

  private:
    void leave_out_line(uint32_t line);

    Laboratory* laboratory_;
    std::string path_, text_;
    std::vector<Mutant> mutants_;
    std::vector<std::string> set_aside_;
    std::set<size_t> not_switched_;
    std::optional<std::string> object_;  // of the source as it is
};

}  // namespace zcrxlab
