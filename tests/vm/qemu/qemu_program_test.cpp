// Which QEMU fits.
#include <gtest/gtest.h>

#include "tests/fakes/fake_tree.hpp"
#include "vm/qemu/probe_guest.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

void write_qemu(const fs::path& file, const std::string& version, const std::string& device) {
    fake::write(file, "#!/bin/sh\ncase $1 in --version) echo \"QEMU emulator version " + version +
                          " (Debian 1:1)\" ;; *) echo 'name \"" + device +
                          "\", bus PCI' ;; esac\n");
    fs::permissions(file, fs::perms::owner_all);
}

TEST(QemuVersion, FromItsFirstLine) {
    EXPECT_EQ(parse_qemu_version("QEMU emulator version 11.1.3 (Debian 1:11.1.3+ds-1~bpo13+1)\n"),
              "11.1.3");
    EXPECT_EQ(parse_qemu_version("QEMU emulator version 7.2.22\n"), "7.2.22");
    for (const char* text : {"", "QEMU", "bash, version 5", "QEMU emulator version x"})
        EXPECT_EQ(parse_qemu_version(text), "") << text;
}

TEST(VfioUser, IsInTheListOfDevices) {
    EXPECT_TRUE(lists_vfio_user("name \"vfio-user-pci\", bus PCI, desc \"VFIO over socket\"\n"));
    EXPECT_FALSE(lists_vfio_user("name \"vfio-pci\", bus PCI\n"));
}

TEST(FindQemu, TheNamedOneOrNone) {
    const fake::Folder folder;
    const fs::path qemu = folder.path() / "qemu";
    const fake::Variable named("ZCRXLAB_QEMU", qemu.string());
    EXPECT_EQ(find_local_qemu().error().code, EINVAL);
    write_qemu(qemu, "11.1.3", "vfio-user-pci");
    ASSERT_TRUE(find_local_qemu());
    EXPECT_EQ(find_local_qemu()->version, "11.1.3");
    write_qemu(qemu, "10.1.0", "vfio-user-pci");
    EXPECT_NE(find_local_qemu().error().sentence.find("10.1.1"), std::string::npos);
    write_qemu(qemu, "11.1.3", "vfio-pci");
    EXPECT_EQ(find_local_qemu().error().code, EINVAL);
}

TEST(FindQemu, TheSystemsIfItFitsElseTheNewestOfTheCache) {
    const fake::Folder folder;
    const fake::Variable none("ZCRXLAB_QEMU", "");
    const fake::Variable cache("ZCRXLAB_CACHE", (folder.path() / "cache").string());
    const char* path = std::getenv("PATH");
    const fake::Variable first("PATH", folder.path().string() + ":" + (path ? path : ""));
    write_qemu(folder.path() / "qemu-system-x86_64", "7.2.22", "vfio-pci");
    EXPECT_EQ(find_local_qemu().error().code, ENOENT);
    EXPECT_NE(find_local_qemu().error().sentence.find("7.2.22"), std::string::npos);

    for (const char* version : {"11.1.3", "10.2.0"}) {
        const fs::path root = folder.path() / "cache/qemu" / version;
        fake::write(root / "usr/bin/qemu-system-x86_64", "");
        fake::write(root / "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "");
    }
    // Broken off while it was unpacked.
    fake::write(folder.path() / "cache/qemu/12.0.0/usr/bin/qemu-system-x86_64", "");
    ASSERT_TRUE(find_local_qemu());
    EXPECT_EQ(find_local_qemu()->version, "11.1.3");
    EXPECT_EQ(find_local_qemu()->origin, "cache");
    EXPECT_EQ(find_local_qemu()->command[1], "--library-path");

    write_qemu(folder.path() / "qemu-system-x86_64", "10.1.1", "vfio-user-pci");
    EXPECT_EQ(find_local_qemu()->origin, "system");
}

TEST(ProbeFirmware, QemuThatEndsOrSaysNothingIsNoGuest) {
    QemuProgram qemu;
    qemu.command = {"sh", "-c", "echo no such machine; exit 1"};
    EXPECT_NE(probe_firmware(qemu, Accelerator::kKvm).error().sentence.find("no such machine"),
              std::string::npos);
    qemu.command = {"sh", "-c", "echo SeaBIOS; sleep 60"};
    EXPECT_EQ(probe_firmware(qemu, Accelerator::kKvm).error().code, EIO);
    qemu.command = {"sh", "-c", "echo Booting from Hard Disk...; sleep 60"};
    EXPECT_TRUE(probe_firmware(qemu, Accelerator::kKvm));
}

TEST(ProbeGuest, MemoryTooSmallIsLeftAlone) {
    std::vector<std::byte> memory(4096);
    probe_guest::lay_out(memory);
    EXPECT_EQ(memory, std::vector<std::byte>(4096));
    memory.resize(probe_guest::kMemorySize);
    probe_guest::lay_out(memory);
    EXPECT_EQ(memory[probe_guest::kStart], std::byte{0xfa});
}

}  // namespace
}  // namespace zcrxlab
