// How far long work has come, and how long it will still take, in words.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "harness/base/progress.hpp"

namespace zcrxlab {

// "40 s", "4 min", "1.5 h"; rounded up.
std::string time_in_words(double seconds);

// "about 4 min left", if `done` of `all` took so many seconds and others take as long. Empty if
// nothing is done yet, or nothing is left.
std::string time_left(size_t done, size_t all, double seconds);

// Tells now and then how far work is: "120 of 574 scenarios, about 4 min left".
class WorkProgress {
  public:
    // Of so many things that `what` names. Nobody reads more than a line in kBetweenLines.
    WorkProgress(std::string what, Progress progress)
        : what_(std::move(what)), progress_(std::move(progress)) {}

    // So many of so many are done. The time counts from the first call on.
    void tell(size_t done, size_t all, std::chrono::steady_clock::time_point now);

    static constexpr std::chrono::seconds kBetweenLines{10};

  private:
    std::string what_;
    Progress progress_;
    bool begun_ = false;
    size_t done_before_ = 0;  // when the time began
    std::chrono::steady_clock::time_point begin_, told_;
};

}  // namespace zcrxlab
