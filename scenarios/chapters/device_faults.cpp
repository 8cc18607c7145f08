// Chapter device: faults of the device itself, in mid-stream.
#include <gtest/gtest.h>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::device_faults {
namespace {

constexpr uint64_t kMiB = 1U << 20;

struct DeviceFault {
    const char* name;
    FaultRule rule;
};
constexpr DeviceFault kFaults[] = {
    {"lost_interrupts",
     {.what = FaultKind::kLoseInterrupt,
      .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 7}}},
    {"link_flap",
     {.what = FaultKind::kLinkFlap,
      .milliseconds = 50,
      .match = {.protocol = FaultProtocol::kTcp, .payload = true, .skip = 200, .count = 1}}},
};

SCENARIO_TABLE(device, fault, "a stream arrives whole through what a device does wrong",
               Terms(Needs{.where = Where::kDevice, .faults = true, .outages = true, .queues = 1}),
               kFaults, row) {
    scene.inject(row.rule);
    ReceivePath rx(scene);
    rx.connect({.bytes = 2 * kMiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 2 * kMiB);
    EXPECT_GT(fault_hits(scene), 0U) << "No packet met the fault.";
}

}  // namespace
}  // namespace zcrxlab::device_faults
