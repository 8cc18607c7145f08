// Taking a function from its driver and giving it back, on a bus that behaves like the kernel's.
#include "harness/lab/driver_binding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kAddress = "0000:3b:00.0";

PciFunction bnxt() {
    PciFunction function;
    function.address = kAddress;
    function.driver = "bnxt_en";
    function.power_control = "on";
    return function;
}

// What the kernel does with these writes (Documentation/ABI/testing/sysfs-bus-pci).
class FakeBus {
  public:
    explicit FakeBus(PciFunction function) : function_(std::move(function)) {}

    PciBus bus() {
        return {[this](const std::string& address) { return read(address); },
                [this](const SysfsWrite& write) { return take(write); }};
    }

    PciFunction& function() { return *function_; }
    // Its driver refuses it so many times.
    int refusals = 0;
    // ... until this was done.
    bool needs_reset = false, needs_rescan = false;
    bool held = false;  // somebody has the device open
    Words refused;      // files that take nothing
    Words lines;        // what was written

  private:
    Result<PciFunction> read(const std::string& address) const {
        if (!function_ || function_->address != address) return Error{ENODEV, "gone"};
        return *function_;
    }

    Result<void> take(const SysfsWrite& write) {
        const std::string name = write.file.filename();
        lines.push_back(name + "=" + write.text);
        if (name == "rescan") {
            needs_rescan = false;
            if (!function_) function_ = removed_;
            return bind();
        }
        if (!function_) return Error{ENOENT, "no such file"};
        if (std::find(refused.begin(), refused.end(), name) != refused.end())
            return Error{EIO, name + " takes nothing"};
        if (name == "driver_override") {
            function_->driver_override = write.text;
        } else if (name == "control") {
            function_->power_control = write.text;
        } else if (name == "unbind") {
            if (held) return Error{ETIMEDOUT, "somebody uses it"};
            if (function_->driver.empty()) return Error{ENODEV, "no driver"};
            function_->driver.clear();
        } else if (name == "drivers_probe") {
            return bind();
        } else if (name == "reset") {
            needs_reset = false;
        } else if (name == "remove") {
            removed_ = *function_;
            removed_.driver.clear();
            removed_.driver_override.clear();
            removed_.power_control = "on";
            function_.reset();
        } else {
            return Error{ENOENT, "no such file " + name};
        }
        return {};
    }

    Result<void> bind() {
        if (!function_->driver.empty()) return {};
        if (!function_->driver_override.empty()) {
            function_->driver = function_->driver_override;
        } else if (refusals == 0 && !needs_reset && !needs_rescan) {
            function_->driver = "bnxt_en";
        } else {
            refusals = std::max(0, refusals - 1);
            return Error{EIO, "bnxt_en: probe failed"};
        }
        return {};
    }

    std::optional<PciFunction> function_;
    PciFunction removed_;
};

Words take(FakeBus& fake, const std::string& driver) {
    const PciBus bus = fake.bus();
    for (const SysfsWrite& step : steps_to_driver(fake.function(), driver))
        EXPECT_TRUE(bus.write(step));
    return fake.lines;
}

TEST(StepsToDriver, TheOverrideComesFirst) {
    FakeBus fake(bnxt());
    EXPECT_EQ(take(fake, "vfio-pci"), (Words{"driver_override=vfio-pci", "unbind=0000:3b:00.0",
                                             "drivers_probe=0000:3b:00.0"}));
    EXPECT_EQ(fake.function().driver, "vfio-pci");
    const SysfsWrite first = steps_to_driver(bnxt(), "vfio-pci").front();
    EXPECT_EQ(command_of(first),
              "echo vfio-pci > /sys/bus/pci/devices/0000:3b:00.0/driver_override");
}

TEST(StepsToDriver, NothingForWhatIsThereAndNoUnbindForWhatHasNone) {
    PciFunction taken = bnxt();
    taken.driver = "vfio-pci";
    EXPECT_TRUE(steps_to_driver(taken, "vfio-pci").empty());
    PciFunction alone = bnxt();
    alone.driver.clear();
    EXPECT_EQ(steps_to_driver(alone, "vfio-pci").size(), 2U);
    PciFunction reserved = bnxt();
    reserved.driver_override = "vfio-pci";
    const auto steps = steps_to_driver(reserved, "vfio-pci");
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].file.filename(), "unbind");
}

TEST(GiveBack, InTheOrderThatIsSafe) {
    FakeBus fake(bnxt());
    take(fake, "vfio-pci");
    fake.function().power_control = "auto";
    fake.lines.clear();
    Words told;
    const Words left = give_back(fake.bus(), bnxt(), [&](const std::string& command) {
        EXPECT_EQ(fake.lines.size(), told.size()) << command << " is told behind it";
        told.push_back(command);
    });
    EXPECT_EQ(left, Words{});
    EXPECT_EQ(fake.lines, (Words{"unbind=0000:3b:00.0", "driver_override=", "control=on",
                                 "drivers_probe=0000:3b:00.0"}));
    EXPECT_EQ(fake.function(), bnxt());
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[1], "echo > /sys/bus/pci/devices/0000:3b:00.0/driver_override");
}

TEST(GiveBack, NothingIsDoneTwice) {
    FakeBus fake(bnxt());
    EXPECT_EQ(give_back(fake.bus(), bnxt(), {}), Words{});
    EXPECT_EQ(fake.lines, Words{});
}

// From every place at which a run can be cut off.
TEST(GiveBack, FromBehindEachStep) {
    for (size_t done = 0; done <= 3; ++done) {
        FakeBus fake(bnxt());
        const PciBus bus = fake.bus();
        const auto steps = steps_to_driver(bnxt(), "vfio-pci");
        for (size_t i = 0; i < done; ++i) ASSERT_TRUE(bus.write(steps[i]));
        EXPECT_EQ(give_back(bus, bnxt(), {}), Words{}) << done;
        EXPECT_EQ(fake.function(), bnxt()) << done;
    }
}

TEST(GiveBack, AFunctionWithoutADriverIsLeftWithoutOne) {
    PciFunction before = bnxt();
    before.driver.clear();
    before.driver_override = "none";
    FakeBus fake(before);
    take(fake, "vfio-pci");
    EXPECT_EQ(give_back(fake.bus(), before, {}), Words{});
    EXPECT_EQ(fake.function(), before);
}

// A kernel without power management has no such file.
TEST(GiveBack, PowerIsLeftAloneWhereThereWasNone) {
    PciFunction before = bnxt();
    before.power_control.clear();
    FakeBus fake(bnxt());
    give_back(fake.bus(), before, {});
    EXPECT_EQ(fake.lines, Words{});
}

// A function that was found again has neither its override nor its power management.
TEST(GiveBack, AllOfItBehindARemoval) {
    PciFunction before = bnxt();
    before.power_control = "auto";
    FakeBus fake(before);
    take(fake, "vfio-pci");
    fake.needs_rescan = true;
    EXPECT_EQ(give_back(fake.bus(), before, {}), Words{});
    EXPECT_EQ(std::count(fake.lines.begin(), fake.lines.end(), "remove=1"), 1);
    EXPECT_EQ(fake.function(), before);
}

TEST(GiveBack, WhatIsNotAsItWasIsSaid) {
    FakeBus power(bnxt());
    power.function().power_control = "auto";
    power.refused = {"control"};
    EXPECT_EQ(give_back(power.bus(), bnxt(), {}),
              (Words{"0000:3b:00.0: power/control: auto, and was on", "control takes nothing"}));

    FakeBus reserved(bnxt());
    reserved.function().driver_override = "vfio-pci";
    reserved.refused = {"driver_override"};
    EXPECT_EQ(give_back(reserved.bus(), bnxt(), {}),
              (Words{"0000:3b:00.0: driver_override: vfio-pci, and was none",
                     "driver_override takes nothing"}));
}

TEST(GiveBack, ResetsOnceThenRemovesOnceAndGivesUp) {
    FakeBus reset(bnxt());
    take(reset, "vfio-pci");
    reset.needs_reset = true;
    EXPECT_EQ(give_back(reset.bus(), bnxt(), {}), Words{});
    EXPECT_EQ(std::count(reset.lines.begin(), reset.lines.end(), "reset=1"), 1);
    EXPECT_EQ(std::count(reset.lines.begin(), reset.lines.end(), "remove=1"), 0);

    FakeBus rescan(bnxt());
    take(rescan, "vfio-pci");
    rescan.needs_rescan = true;
    EXPECT_EQ(give_back(rescan.bus(), bnxt(), {}), Words{});
    EXPECT_EQ(std::count(rescan.lines.begin(), rescan.lines.end(), "remove=1"), 1);

    FakeBus never(bnxt());
    take(never, "vfio-pci");
    never.refusals = 1000;
    const Words left = give_back(never.bus(), bnxt(), {});
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left[0], "0000:3b:00.0: driver: none, and was bnxt_en");
    EXPECT_EQ(left.back(), "bnxt_en: probe failed");
    EXPECT_LT(never.lines.size(), 20U);
}

// While a guest has it, unbinding waits; so would a reset and a removal.
TEST(GiveBack, WhatSomebodyHoldsIsLeftAlone) {
    FakeBus fake(bnxt());
    take(fake, "vfio-pci");
    fake.lines.clear();
    fake.held = true;
    const Words left = give_back(fake.bus(), bnxt(), {});
    EXPECT_EQ(fake.lines, (Words{"unbind=0000:3b:00.0"}));
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left.back(), "somebody uses it");
    // Later, when it is free.
    fake.held = false;
    EXPECT_EQ(give_back(fake.bus(), bnxt(), {}), Words{});
    EXPECT_EQ(fake.function(), bnxt());
}

// The real one, on files in the place of /sys.
TEST(PciBusOfThisMachine, WritesALineAndTellsTheErrno) {
    const TemporaryFolder folder;
    const PciBus bus = PciBus::of_this_machine();
    ASSERT_TRUE(bus.write({folder.write("driver_override", ""), "vfio-pci"}));
    EXPECT_EQ(folder.read("driver_override"), "vfio-pci\n");
    ASSERT_TRUE(bus.write({folder.write("cleared", ""), ""}));
    EXPECT_EQ(folder.read("cleared"), "\n");
    const auto missing = bus.write({folder.path() / "missing/unbind", "0000:3b:00.0"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ENOENT);
    EXPECT_NE(missing.error().sentence.find("echo 0000:3b:00.0 > "), std::string::npos);
}

TEST(GiveBack, ACardThatIsGone) {
    FakeBus fake(bnxt());
    PciFunction other = bnxt();
    other.address = "0000:3b:00.1";
    const Words left = give_back(fake.bus(), other, {});
    EXPECT_EQ(left.front(), "gone");
}

}  // namespace
}  // namespace zcrxlab
