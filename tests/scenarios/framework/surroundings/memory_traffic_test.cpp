// Counters of memory controllers, from the tree that a server with them shows.
#include "scenarios/framework/surroundings/memory_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

const std::filesystem::path kDevices = "sys/bus/event_source/devices";

void add_controller(const TemporaryFolder& root, const std::string& name) {
    root.write(kDevices / name / "type", "24\n");
    root.write(kDevices / name / "cpumask", "4,28\n");
    root.write(kDevices / name / "format/event", "config:0-7\n");
    root.write(kDevices / name / "format/umask", "config:8-15\n");
    root.write(kDevices / name / "events/cas_count_read", "event=0x04,umask=0x03\n");
    root.write(kDevices / name / "events/cas_count_read.scale", "6.103515625e-5\n");
    root.write(kDevices / name / "events/cas_count_read.unit", "MiB\n");
    root.write(kDevices / name / "events/cas_count_write", "event=0x04,umask=0x0c\n");
}

TEST(TrafficCounters, OfEachMemoryController) {
    const TemporaryFolder root;
    add_controller(root, "uncore_imc_0");
    add_controller(root, "uncore_cha_0");  // another unit, whose events are others
    auto counters = traffic_counters(root.path());
    std::sort(counters.begin(), counters.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    ASSERT_EQ(counters.size(), 2U);
    EXPECT_EQ(counters[0], (TrafficCounter{"uncore_imc_0/cas_count_read", 24, 0x0304, 4, 64}));
    EXPECT_EQ(counters[1], (TrafficCounter{"uncore_imc_0/cas_count_write", 24, 0x0c04, 4, 64}));
}

TEST(TrafficCounters, WhatMakesNoSenseIsLeftOut) {
    const TemporaryFolder root;
    EXPECT_TRUE(traffic_counters(root.path()).empty());
    add_controller(root, "uncore_imc_0");
    root.write(kDevices / "uncore_imc_0/format/umask", "config1:0-7\n");
    EXPECT_TRUE(traffic_counters(root.path()).empty());
    root.write(kDevices / "uncore_imc_0/format/umask", "config:8-15\n");
    root.write(kDevices / "uncore_imc_0/events/cas_count_read", "event=0xzz\n");
    EXPECT_EQ(traffic_counters(root.path()).size(), 1U);
    root.write(kDevices / "uncore_imc_0/type", "x\n");
    EXPECT_TRUE(traffic_counters(root.path()).empty());
}

}  // namespace
}  // namespace zcrxlab
