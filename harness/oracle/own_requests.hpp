// OwnRequests: what a test receives by requests of its own, whose CQEs the trace has as the kernel
// wrote them (OtherCqeSeen), without a stream or a position.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/trace/event.hpp"

namespace zcrxlab {

class OwnRequests {
  public:
    void see(const IfqRegistered& e) { newest_[e.ring] = e.ifq; }
    void see(const OtherSubmitted& e) {
        if (e.operation == "recv_zc") receiving_.insert({e.ring, e.request});
    }
    // The ifq that delivered this, if it is data. Of several of one ring, it is the newest.
    std::optional<uint32_t> delivered_by(const OtherCqeSeen& e) const {
        const auto ifq = newest_.find(e.ring);
        if (e.result <= 0 || ifq == newest_.end() || !receiving_.contains({e.ring, e.request}))
            return std::nullopt;
        return ifq->second;
    }

  private:
    std::map<uint32_t, uint32_t> newest_;  // ring -> ifq
    std::set<std::pair<uint32_t, uint64_t>> receiving_;
};

}  // namespace zcrxlab
