// StarvationWatch: the same few buffers, look after look, while packets are dropped.
#include "harness/ring/starvation_watch.hpp"

namespace zcrxlab {

bool StarvationWatch::starves(const std::optional<DeviceLook>& look, Clock::time_point now) {
    last_ = now;
    if (!look || look->posted >= kOfPacket) {
        forget();
        return false;
    }
    if (!seen_ || seen_->look.posted != look->posted) {
        seen_ = Seen{*look, now, 0};
        return false;
    }
    ++seen_->looks;
    return seen_->looks >= kLooks && look->dropped >= seen_->look.dropped + kDropped &&
           now - seen_->since >= moment_;
}

}  // namespace zcrxlab
