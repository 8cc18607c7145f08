// QEMU's command line has what a run needs, and can be pasted into a shell.
#include "vm/qemu/qemu_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace zcrxlab {
namespace {

VmSettings settings() {
    VmSettings settings;
    settings.qemu.command = {"qemu-system-x86_64"};
    settings.kernel = "/boot/vmlinuz";
    settings.image = "/out/guest.cpio";
    settings.records = "socket,fd=3";
    settings.control_socket = "/run/x/control.sock";
    settings.pairs = {emulated_pair(default_nic(), "/run/x/a.sock", "/run/x/b.sock")};
    return settings;
}

// The words that follow each `option`.
std::vector<std::string> values_of(const std::vector<std::string>& command,
                                   const std::string& option) {
    std::vector<std::string> values;
    for (size_t i = 0; i + 1 < command.size(); ++i)
        if (command[i] == option) values.push_back(command[i + 1]);
    return values;
}

bool any_has(const std::vector<std::string>& values, const std::string& part) {
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
        return value.find(part) != std::string::npos;
    });
}

TEST(QemuCommand, PutsBothPortsAtFixedAddresses) {
    const auto devices = values_of(qemu_command(settings()), "-device");
    std::vector<nlohmann::json> ports;
    for (const std::string& device : devices)
        if (device[0] == '{') ports.push_back(nlohmann::json::parse(device));
    ASSERT_EQ(ports.size(), 2U);
    EXPECT_EQ(ports[0]["driver"], "vfio-user-pci");
    EXPECT_EQ(ports[0]["addr"], "0x4");
    EXPECT_EQ(ports[0]["socket"]["path"], "/run/x/a.sock");
    EXPECT_EQ(ports[1]["addr"], "0x5");
    EXPECT_EQ(ports[1]["socket"]["path"], "/run/x/b.sock");
    const GuestPair pair = guest_pair(settings().pairs[0], 0);
    EXPECT_EQ(pair.receiver_pci, "0000:00:04.0");
    EXPECT_EQ(pair.peer_pci, "0000:00:05.0");
}

TEST(QemuCommand, HasADeviceForEachFolder) {
    VmSettings with = settings();
    with.folders = {{"host0", "/run/x/host0.sock"}, {"host1", "/run/x/host1.sock"}};
    const auto command = qemu_command(with);
    const auto channels = values_of(command, "-chardev");
    EXPECT_TRUE(any_has(channels, "id=host1,path=/run/x/host1.sock"));
    const auto devices = values_of(command, "-device");
    EXPECT_TRUE(any_has(devices, "vhost-user-fs-pci,chardev=host0,tag=host0"));
    EXPECT_TRUE(any_has(devices, "vhost-user-fs-pci,chardev=host1,tag=host1"));
}

TEST(QemuCommand, SharesGuestMemoryAndNamesThePorts) {
    const auto command = qemu_command(settings());
    EXPECT_TRUE(any_has(values_of(command, "-object"), "share=on"));
    const auto devices = values_of(command, "-device");
    EXPECT_TRUE(any_has(devices, "name=zcrxlab.records"));
    EXPECT_TRUE(any_has(devices, "name=zcrxlab.control"));
    EXPECT_TRUE(any_has(values_of(command, "-append"), "oops=panic"));
}

TEST(QemuCommand, WithoutANicThereIsNoNic) {
    VmSettings bare = settings();
    bare.pairs.clear();
    bare.control_socket.clear();
    const auto command = qemu_command(bare);
    EXPECT_FALSE(any_has(command, "vfio-user"));
    EXPECT_FALSE(any_has(command, "zcrxlab.control"));
}

TEST(QemuCommand, KvmTakesTheHostsCpu) {
    VmSettings kvm = settings();
    kvm.accelerator = Accelerator::kKvm;
    const auto command = qemu_command(kvm);
    EXPECT_EQ(values_of(command, "-accel"), std::vector<std::string>{"kvm"});
    EXPECT_EQ(values_of(command, "-cpu"), std::vector<std::string>{"host"});
    EXPECT_FALSE(any_has(values_of(command, "-append"), "no_timer_check"));
    EXPECT_EQ(values_of(qemu_command(settings()), "-accel"),
              std::vector<std::string>{"tcg,thread=multi"});
}

TEST(QemuCommand, AnEmulatedCpuDoesNotOfferWhatItIsSlowAt) {
    const auto command = qemu_command(settings());
    EXPECT_TRUE(any_has(values_of(command, "-cpu"), "max,erms=off"));
    EXPECT_TRUE(any_has(values_of(command, "-append"),
                        "no_timer_check tsc=reliable maxcpus=1 mitigations=off"));
}

TEST(QemuCommand, AKernelWhoseModulesNobodyHasCheckedDoesItItself) {
    VmSettings unlisted = settings();
    EXPECT_FALSE(any_has(values_of(qemu_command(unlisted), "-append"), "sig_enforce"));
    unlisted.only_signed_modules = true;
    EXPECT_TRUE(any_has(values_of(qemu_command(unlisted), "-append"), "module.sig_enforce=1"));
}

TEST(QemuCommand, AnEmulatedGuestIsToldHowFastItsTimeStampCounterRuns) {
    VmSettings told = settings();
    EXPECT_FALSE(any_has(values_of(qemu_command(told), "-append"), "tsc_early_khz"));
    told.tsc_khz = 2300000;
    EXPECT_TRUE(any_has(values_of(qemu_command(told), "-append"), "tsc_early_khz=2300000"));
    told.accelerator = Accelerator::kKvm;
    EXPECT_FALSE(any_has(values_of(qemu_command(told), "-append"), "tsc_early_khz"));
}

TEST(QemuCommand, AGuestWhoseInstructionsAreCountedHasOneThread) {
    VmSettings counted = settings();
    EXPECT_TRUE(values_of(qemu_command(counted), "-icount").empty());
    counted.icount = true;
    const auto command = qemu_command(counted);
    EXPECT_EQ(values_of(command, "-icount"), std::vector<std::string>{"shift=0,sleep=on"});
    EXPECT_EQ(values_of(command, "-accel"), std::vector<std::string>{"tcg,thread=single"});
}

TEST(QemuCommand, ComparisonNicsHaveAddressesOfTheirOwn) {
    VmSettings many = settings();
    for (NicPair& pair : comparison_pairs()) many.pairs.push_back(pair);
    std::vector<std::string> places;
    std::vector<std::string> networks;
    for (unsigned i = 0; i < many.pairs.size(); ++i) {
        const GuestPair pair = guest_pair(many.pairs[i], i);
        places.insert(places.end(), {pair.receiver_pci, pair.peer_pci, pair.peer_netns});
        networks.push_back(pair.local_v4.substr(0, pair.local_v4.rfind('.')));
        networks.push_back(pair.local_v6.substr(0, pair.local_v6.rfind("::")));
    }
    for (auto* list : {&places, &networks}) {
        std::sort(list->begin(), list->end());
        EXPECT_EQ(std::adjacent_find(list->begin(), list->end()), list->end());
    }
    const auto command = qemu_command(many);
    EXPECT_EQ(values_of(command, "-netdev").size(), 6U);
    EXPECT_TRUE(any_has(values_of(command, "-device"),
                        "virtio-net-pci,netdev=virtio-net-pci1,"
                        "addr=0xc"));
}

TEST(QemuCommand, PassedFunctionsAreBehindRootPorts) {
    VmSettings passed = settings();
    passed.pairs = {passed_pair("0000:3b:00.0", "0000:3b:00.1")};
    EXPECT_EQ(values_of(qemu_command(passed), "-device").size(), 4 + 3U);
    const auto devices = values_of(qemu_command(passed), "-device");
    EXPECT_TRUE(any_has(devices, "pcie-root-port,id=receiver-port,chassis=4,slot=4,addr=0x4"));
    EXPECT_TRUE(any_has(devices, "vfio-pci,id=receiver,host=0000:3b:00.0,bus=receiver-port,"));
    EXPECT_TRUE(any_has(devices, "vfio-pci,id=peer,host=0000:3b:00.1,bus=peer-port,"));
    // The guest finds the function behind its port.
    EXPECT_EQ(guest_pair(passed.pairs[0], 0).receiver_pci, "0000:00:04.0");
    EXPECT_EQ(guest_pair(passed.pairs[0], 0).peer_pci, "0000:00:05.0");
}

TEST(QemuCommand, HugePagesWhereThereAreEnough) {
    VmSettings huge = settings();
    EXPECT_FALSE(any_has(values_of(qemu_command(huge), "-object"), "hugetlb"));
    huge.huge_pages = true;
    EXPECT_TRUE(any_has(values_of(qemu_command(huge), "-object"), ",hugetlb=on,hugetlbsize=2M"));
}

TEST(QemuCommand, AnIommuComesBeforeEveryOtherDevice) {
    VmSettings with = settings();
    with.iommu = true;
    const auto devices = values_of(qemu_command(with), "-device");
    EXPECT_EQ(devices.front(), "intel-iommu,intremap=on,caching-mode=on");
    EXPECT_TRUE(any_has(values_of(qemu_command(with), "-append"), " intel_iommu=on"));
    EXPECT_FALSE(any_has(values_of(qemu_command(settings()), "-append"), "intel_iommu"));
}

TEST(QemuCommand, CommasInPathsAreDoubled) {
    VmSettings odd = settings();
    odd.control_socket = "/tmp/a,b";
    EXPECT_TRUE(any_has(values_of(qemu_command(odd), "-chardev"), "path=/tmp/a,,b"));
}

TEST(QemuCommand, AGuestThatIsStartedByHandAsksNobodyWhatIsNext) {
    VmSettings guest = settings();
    EXPECT_FALSE(any_has(values_of(qemu_command(guest), "-append"), "ZCRXLAB_TURNS"));
    guest.by_hand = true;
    EXPECT_TRUE(any_has(values_of(qemu_command(guest), "-append"), " ZCRXLAB_TURNS=all"));
}

TEST(QemuCommand, AGuestThatGoesOnHasItsImageInADevice) {
    VmSettings guest = settings();
    EXPECT_TRUE(values_of(qemu_command(guest), "-incoming").empty());
    guest.saved = SavedStart{"/cache/state", "/run/a,b", 1 << 24};
    const auto command = qemu_command(guest);
    EXPECT_EQ(values_of(command, "-incoming"), std::vector<std::string>{"file:/cache/state"});
    EXPECT_TRUE(any_has(values_of(command, "-object"), "size=16777216,mem-path=/run/a,,b"));
    EXPECT_TRUE(any_has(values_of(command, "-device"), "ivshmem-plain,memdev=image"));
}

TEST(QemuCommand, QuotesForAShell) {
    EXPECT_EQ(quoted_for_shell({"a", "", "b c", "it's", "-x=1,y:2"}),
              "a '' 'b c' 'it'\\''s' -x=1,y:2");
}

}  // namespace
}  // namespace zcrxlab
