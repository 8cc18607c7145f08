// QueueCount: what the driver counted on a queue while an ifq had it; the witness of zero copy
// where the device keeps no log.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "harness/ring/ifq.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

class ReceivePath;

// Of one receive queue of the interface under test, since the driver began to count.
struct QueueTotals {
    uint64_t packets = 0, bytes = 0;
};
// Nothing where the device's log is the better witness, and where the driver does not count.
std::optional<QueueTotals> queue_totals(Scene& scene, uint32_t queue);

class QueueCount {
  public:
    // From here on; nothing without a device.
    QueueCount(Scene& scene, const Ifq& ifq);
    // QueueCounted goes into the trace; while the ifq still has its queue, since many drivers count
    // from 0 again when a queue is started. Gives the card the time to tell what it has counted, if
    // that is less than what the ifq has delivered. With `goes_on` the ifq delivers more behind it,
    // until its ring is closed in the middle.
    void record(bool goes_on = false);

  private:
    std::optional<QueueCounted> counted() const;

    Scene& scene_;
    uint32_t ifq_, queue_;
    std::optional<QueueTotals> before_;
};

// The scenario made the driver start the rx's queue again, so that what its peers have sent until
// now may or may not be in the count; call behind it.
void counts_start_over(Scene& scene, ReceivePath& rx, std::initializer_list<uint32_t> streams);

}  // namespace zcrxlab
