// Counting the buffers of an ifq (I5), over a connection whose peer sends more than the area holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/receiver.hpp"
#include "scenarios/framework/facts.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// How soon a sender sends again what was lost: each step of a count waits for that.
inline constexpr std::chrono::milliseconds kSoonestOfCount{10};

struct CountFailed {
    std::string sentence;
    ComplaintFacts facts;
};

// Counts over `pair`, a connection into the queue of `ifq`, whose ConnectionOpened is recorded as
// `stream`; bounds in `options` are scaled here. Every other stream of the ifq must have ended.
// Records CapacityMeasured, and ends the stream; or says why it could not, after which nothing can
// go on. `zcrx_id` is the instance's in the receiver's ring, where it was imported.
[[nodiscard]] std::optional<CountFailed> count_buffers(Scene& scene, Receiver& receiver, Ifq& ifq,
                                                       uint32_t stream, TcpPair pair,
                                                       const CapacityOptions& options = {},
                                                       std::optional<uint32_t> zcrx_id = {});

}  // namespace zcrxlab
