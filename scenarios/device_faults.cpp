// Chapter device: faults of the device itself, in mid-stream.
#include <gtest/gtest.h>

#include "scenarios/form/device_state.hpp"
#include "scenarios/form/lane.hpp"
#include "scenarios/form/scenario.hpp"

namespace zcrxlab::device_faults {
namespace {

constexpr uint64_t kMiB = 1U << 20;

struct DeviceFault {
    const char* name;
    const char* rule;
};
constexpr DeviceFault kFaults[] = {
    {"lost_interrupts",
     R"({"what":"lose_interrupt","match":{"protocol":"tcp","payload":true,"every":7}})"},
    {"link_flap", R"({"what":"link_flap","milliseconds":50,)"
                  R"("match":{"protocol":"tcp","payload":true,"skip":200,"count":1}})"},
};

SCENARIO_TABLE(device, fault, "a stream arrives whole through what a device does wrong",
               Terms(Needs{.where = Where::kDevice, .faults = true, .outages = true, .queues = 1}),
               kFaults, row) {
    scene.inject(row.rule);
    Lane lane(scene);
    lane.connect({.bytes = 2 * kMiB, .tcp = {.mss = 1400}});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 2 * kMiB);
    EXPECT_GT(fault_hits(scene), 0U) << "No packet met the fault.";
}

}  // namespace
}  // namespace zcrxlab::device_faults
