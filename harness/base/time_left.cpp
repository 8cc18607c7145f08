// What is left is taken to go on as fast as what is done.
#include "harness/base/time_left.hpp"

#include <fmt/format.h>

#include <cmath>

namespace zcrxlab {

std::string time_in_words(double seconds) {
    constexpr double kMinute = 60, kHour = 3600;
    if (seconds <= 2 * kMinute) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds <= 2 * kHour) return fmt::format("{:.0f} min", std::ceil(seconds / kMinute));
    return fmt::format("{:.1f} h", std::ceil(seconds / kHour * 10) / 10);
}

std::string time_left(size_t done, size_t all, double seconds) {
    if (done == 0 || done >= all) return "";
    const double each = seconds / static_cast<double>(done);
    return fmt::format("about {} left", time_in_words(each * static_cast<double>(all - done)));
}

void WorkProgress::tell(size_t done, size_t all, std::chrono::steady_clock::time_point now) {
    if (!begun_) {
        begun_ = true;
        done_before_ = done;
        begin_ = told_ = now;
        return;
    }
    if (now - told_ < kBetweenLines || done >= all) return;
    told_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const std::string left = time_left(done - done_before_, all - done_before_, seconds);
    progress_(fmt::format("{} of {} {}{}{}", done, all, what_, left.empty() ? "" : ", ", left));
}

}  // namespace zcrxlab
