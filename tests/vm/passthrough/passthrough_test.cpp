// Passthrough on recorded machines: which cards can be given to a guest, why others cannot, and
// what would be done.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/nic_machines.hpp"
#include "vm/passthrough/passthrough.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr uint64_t kGuest = uint64_t{1} << 30;
const fs::path kDevices = "sys/devices/pci0000:3a";

// The reasons on this machine; the test changes something of it before.
Words reasons(const TemporaryFolder& root, const std::string& nic = "0000:3b:00.0",
              const std::string& peer = "") {
    const auto facts = passthrough_in_tree(root.path(), {nic, peer, kGuest});
    EXPECT_TRUE(facts) << facts.error().sentence;
    return facts ? why_not_to_pass(*facts) : Words{"no facts"};
}

// Just one reason, which says this.
void expect_only(const Words& reasons, const std::string& words) {
    ASSERT_EQ(reasons.size(), 1U) << (reasons.empty() ? "no reason" : reasons[1]);
    EXPECT_NE(reasons[0].find(words), std::string::npos) << reasons[0];
}

class OnABnxtMachine : public ::testing::Test {
  protected:
    OnABnxtMachine() { make_bnxt_machine(root_); }

    void put(const fs::path& file, const std::string& text) { root_.write(kDevices / file, text); }
    // Into the IOMMU group of another function.
    void join(const std::string& address, const std::string& group) {
        const fs::path groups = root_.path() / "sys/kernel/iommu_groups";
        const fs::path link = root_.path() / kDevices / address / "iommu_group";
        const std::string old = fs::read_symlink(link).filename();
        fs::remove_all(groups / old);
        fs::remove(link);
        fs::create_symlink("../../../kernel/iommu_groups/" + group, link);
        fs::create_symlink("../../../../devices/pci0000:3a/" + address,
                           groups / group / "devices" / address);
    }

    TemporaryFolder root_;
};

TEST_F(OnABnxtMachine, TheOtherPortOfTheCardIsThePeer) {
    const auto facts = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_TRUE(facts) << facts.error().sentence;
    EXPECT_EQ(facts->peer.address, "0000:3b:00.1");
    EXPECT_TRUE(facts->neighbours.empty());
    EXPECT_TRUE(facts->iommu);
    EXPECT_TRUE(facts->may_lock);
    EXPECT_EQ(facts->memlock, 8388608U);
    EXPECT_EQ(why_not_to_pass(*facts), Words{});
    EXPECT_EQ(module_for_guest(facts->nic), "bnxt_en");
}

TEST_F(OnABnxtMachine, WhatIsDone) {
    const auto facts = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_TRUE(facts);
    const std::string devices = "/sys/bus/pci/devices/";
    EXPECT_EQ(plan_for(*facts).commands(),
              (Words{"modprobe vfio_iommu_type1", "modprobe vfio-pci",
                     "echo vfio-pci > " + devices + "0000:3b:00.0/driver_override",
                     "echo 0000:3b:00.0 > " + devices + "0000:3b:00.0/driver/unbind",
                     "echo 0000:3b:00.0 > /sys/bus/pci/drivers_probe",
                     "echo vfio-pci > " + devices + "0000:3b:00.1/driver_override",
                     "echo 0000:3b:00.1 > " + devices + "0000:3b:00.1/driver/unbind",
                     "echo 0000:3b:00.1 > /sys/bus/pci/drivers_probe"}));
    fs::create_directories(root_.path() / "sys/bus/pci/drivers/vfio-pci");
    const auto loaded = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(plan_for(*loaded).modules.empty());
}

TEST_F(OnABnxtMachine, BothPortsOfASharedGroupGoTogether) {
    join("0000:3b:00.1", "40");
    EXPECT_EQ(reasons(root_), Words{});
    // With the management NIC as its peer, the second port would stay behind.
    expect_only(reasons(root_, "0000:3b:00.0", "0000:01:00.0"),
                "shares IOMMU group 40 with 0000:3b:00.1 (bnxt_en, ens1f1np1), which would have to "
                "go along; if it is the other end of the cable, type: --peer vfio:0000:3b:00.1");
    // A third in their group is one neighbour, and said once.
    join("0000:01:00.0", "40");
    const auto facts = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_TRUE(facts) << facts.error().sentence;
    EXPECT_EQ(facts->neighbours.size(), 1U);
    expect_only(reasons(root_), "0000:3b:00.0 shares IOMMU group 40 with 0000:01:00.0");
}

TEST_F(OnABnxtMachine, AStrangerInTheGroupOfThePeer) {
    join("0000:01:00.0", "41");
    expect_only(reasons(root_), "0000:3b:00.1 shares IOMMU group 41 with 0000:01:00.0");
}

TEST_F(OnABnxtMachine, AStrangerInTheGroupIsARefusalAndABridgeIsNone) {
    join("0000:01:00.0", "40");
    put("0000:01:00.0/class", "0x010802\n");  // a disk
    expect_only(reasons(root_),
                "shares IOMMU group 40 with 0000:01:00.0 (igb, eno1), which would "
                "have to go along; put the card into another slot");
    put("0000:01:00.0/class", "0x060400\n");
    EXPECT_EQ(reasons(root_), Words{});
}

TEST_F(OnABnxtMachine, WithoutAnIommu) {
    fs::remove_all(root_.path() / "sys/kernel/iommu_groups");
    for (const char* address : {"0000:3b:00.0", "0000:3b:00.1"})
        fs::remove(root_.path() / kDevices / address / "iommu_group");
    expect_only(reasons(root_), "There is no IOMMU");
    expect_only(reasons(root_), "intel_iommu=on");
}

// What is wrong with one of the two, whichever it is.
class EitherPort : public OnABnxtMachine, public ::testing::WithParamInterface<const char*> {
  protected:
    void put_its(const std::string& file, const std::string& text) {
        put(fs::path(GetParam()) / file, text);
    }
    void expect_said(const std::string& words) {
        expect_only(reasons(root_, "0000:3b:00.0", "0000:3b:00.1"),
                    std::string(GetParam()) + " " + words);
    }
};
INSTANTIATE_TEST_SUITE_P(All, EitherPort, ::testing::Values("0000:3b:00.0", "0000:3b:00.1"),
                         [](const auto& port) {
                             return std::string(port.index == 0 ? "nic" : "peer");
                         });

TEST_P(EitherPort, NotReachedByTheIommu) {
    fs::remove(root_.path() / kDevices / GetParam() / "iommu_group");
    expect_only(reasons(root_),
                std::string("The IOMMU of this machine does not reach ") + GetParam() + ";");
}

TEST_P(EitherPort, IsNoNic) {
    put_its("class", "0x010802\n");
    expect_said("is no NIC (class 0x010802)");
}

TEST_P(EitherPort, WithoutReset) {
    put_its("reset_method", "\n");
    expect_said("cannot be reset");
}

TEST_P(EitherPort, WithAWindowWithoutAPlace) {
    put_its("resource",
            "0x0000000000000000 0x000000000000ffff 0x000000002014220c\n"
            "0x0000000000000000 0x0000000000000000 0x0000000000000000\n");
    expect_said("has no room on the bus for BAR 0 of 64 KiB; add pci=realloc");
    put_its("resource", "");
    expect_said("has no memory window");
}

TEST_P(EitherPort, WithoutMsix) {
    put_its("config", std::string(64, '\0'));
    expect_said("shows no MSI-X");
}

TEST_P(EitherPort, WithVirtualFunctions) {
    put_its("sriov_numvfs", "2\n");
    expect_said("has 2 virtual functions");
}

TEST_F(OnABnxtMachine, AResetOfTheWholeCardNeedsTheWholeCard) {
    put("0000:3b:00.0/reset_method", "bus\n");
    put("0000:3b:00.1/reset_method", "bus\n");
    EXPECT_EQ(reasons(root_), Words{});
    expect_only(reasons(root_, "0000:3b:00.0", "0000:01:00.0"),
                "0000:3b:00.0 can only be reset together with 0000:3b:00.1");
}

// Documentation/ABI/testing/sysfs-bus-pci, reset_method; whatever else there is beside it.
TEST_F(OnABnxtMachine, AResetOfTheFunctionAloneIsEnough) {
    for (const char* method : {"flr", "af_flr", "pm", "acpi", "device_specific"}) {
        put("0000:3b:00.0/reset_method", "bus " + std::string(method) + "\n");
        EXPECT_EQ(reasons(root_, "0000:3b:00.0", "0000:01:00.0"), Words{}) << method;
    }
    for (const char* method : {"bus", "cxl_bus"}) {
        put("0000:3b:00.0/reset_method", std::string(method) + "\n");
        expect_only(reasons(root_, "0000:3b:00.0", "0000:01:00.0"),
                    "0000:3b:00.0 can only be reset together with 0000:3b:00.1");
    }
}

TEST_F(OnABnxtMachine, LockedMemory) {
    root_.write("proc/self/status", "CapEff:\t00000000a80425fb\n");  // without bit 14
    expect_only(reasons(root_), "1088 MiB, and the limit is 8 MiB; type: ulimit -l 1114112");
    for (const char* enough : {"unlimited", "1140850688"}) {
        root_.write("proc/self/limits",
                    "Max locked memory         " + std::string(enough) + "  unlimited  bytes\n");
        EXPECT_EQ(reasons(root_), Words{}) << enough;
    }
    root_.write("proc/self/limits", "Max locked memory         1140850687  unlimited  bytes\n");
    expect_only(reasons(root_), "All memory of the guest has to be locked");
    root_.write("proc/self/limits", "nonsense\n");
    root_.write("proc/self/status", "CapEff:\t0000000000004000\n");  // nothing but bit 14
    EXPECT_EQ(reasons(root_), Words{});
}

TEST_F(OnABnxtMachine, WhatIsNoNicIsNotThePeer) {
    put("0000:3b:00.1/class", "0x010802\n");
    // It is not found as the other port, either.
    const auto facts = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_FALSE(facts);
    EXPECT_NE(facts.error().sentence.find("has no other port on its card"), std::string::npos);
}

TEST_F(OnABnxtMachine, WithTwoOtherPortsThePeerHasToBeNamed) {
    put("0000:3b:00.2/vendor", "0x14e4\n");
    put("0000:3b:00.2/class", "0x020000\n");
    fs::create_symlink("../../../devices/pci0000:3a/0000:3b:00.2",
                       root_.path() / "sys/bus/pci/devices/0000:3b:00.2");
    const auto facts = passthrough_in_tree(root_.path(), {"0000:3b:00.0", "", kGuest});
    ASSERT_FALSE(facts);
    EXPECT_NE(facts.error().sentence.find("has 0000:3b:00.1, 0000:3b:00.2 on its card"),
              std::string::npos)
        << facts.error().sentence;
}

TEST_F(OnABnxtMachine, WhatCannotBeAPair) {
    EXPECT_EQ(passthrough_in_tree(root_.path(), {"0000:3b:00.0", "0000:3b:00.0", 0}).error().code,
              EINVAL);
    EXPECT_EQ(passthrough_in_tree(root_.path(), {"0000:3b:00.7", "", 0}).error().code, ENODEV);
    EXPECT_EQ(passthrough_in_tree(root_.path(), {"0000:3b:00.0", "0000:3b:00.7", 0}).error().code,
              ENODEV);
}

TEST(OnAnMlx5Machine, VirtualFunctionsAreARefusal) {
    const TemporaryFolder root;
    make_mlx5_machine(root);
    const Words all = reasons(root, "0000:5e:00.0", "0000:5e:00.2");
    expect_only(all,
                "0000:5e:00.0 has 1 virtual functions, which somebody may use; if nobody "
                "does, type: echo 0 > /sys/bus/pci/devices/0000:5e:00.0/sriov_numvfs");
}

TEST(ModuleForGuest, ByDriverOrByVendor) {
    PciFunction function;
    function.vendor = "0x15b3";
    EXPECT_EQ(module_for_guest(function), "mlx5_core");
    function.driver = "vfio-pci";
    EXPECT_EQ(module_for_guest(function), "mlx5_core");
    function.driver = "igb";
    EXPECT_EQ(module_for_guest(function), "igb");
    function.driver.clear();
    function.vendor = "0x8086";  // it makes many kinds
    EXPECT_EQ(module_for_guest(function), "");
}

TEST(FunctionNamed, WithAndWithoutItsScheme) {
    EXPECT_EQ(*function_named("vfio:0000:3b:00.0"), "0000:3b:00.0");
    EXPECT_EQ(*function_named("0000:3b:00.0"), "0000:3b:00.0");
    for (const char* text : {"", "vfio:", "vfio:eth0", "eth0", "vfio:vfio:0000:3b:00.0"})
        EXPECT_FALSE(function_named(text)) << text;
}

}  // namespace
}  // namespace zcrxlab
