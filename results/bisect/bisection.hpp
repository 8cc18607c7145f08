// Bisection: which kernel to try next between a good and a bad one, by the verdicts so far.
//
// It runs nothing and waits for nothing: whoever does so asks, and tells what came of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class Verdict {
    kGood,
    kBad,
    kUnclear,  // cannot be judged
};
// "good", "bad", "cannot be judged".
std::string_view name_of(Verdict verdict);

class Bisection {
  public:
    // Kernels 0 to `count` - 1 by age, the oldest first; at least 2. The first one is `oldest`,
    // which is not kUnclear, the last one the opposite.
    Bisection(size_t count, Verdict oldest);

    // Up to `most` kernels (at least 1) to try now, the oldest first: those that cut what is left
    // into equal parts. None if nothing is left to be tried.
    std::vector<size_t> next(unsigned most) const;

    // What became of one. One that cannot be judged is stepped over; one outside of what is still
    // in question narrows nothing, but see against().
    void tell(size_t kernel, Verdict verdict);

    // The two between which the verdict changes, as far as is known.
    size_t older() const { return older_; }
    size_t newer() const { return newer_; }
    // Between these, those that could not be judged, and those that were not tried.
    std::vector<size_t> unclear() const;
    size_t left() const { return untried().size(); }
    // How many more have to be tried one after the other, if all can be judged.
    unsigned steps() const;

    // Verdicts that cannot be if it changed only once, here.
    std::vector<size_t> against() const;

  private:
    std::vector<size_t> untried() const;

    std::vector<std::optional<Verdict>> verdicts_;
    Verdict oldest_;
    size_t older_ = 0;
    size_t newer_;
};

}  // namespace zcrxlab
