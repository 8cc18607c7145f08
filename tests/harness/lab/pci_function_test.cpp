// PCI functions out of recorded trees, and the bytes and lines that they are made of.
#include "harness/lab/pci_function.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Words = std::vector<std::string>;

TEST(PciFunction, OfABnxtCard) {
    const TemporaryFolder root;
    make_bnxt_machine(root);
    const auto function = read_function(root.path(), "0000:3b:00.0");
    ASSERT_TRUE(function) << function.error().sentence;
    EXPECT_EQ(function->vendor, "0x14e4");
    EXPECT_EQ(function->device, "0x1751");
    EXPECT_EQ(function->driver, "bnxt_en");
    EXPECT_EQ(function->driver_override, "");  // "(null)" is how the kernel says it
    EXPECT_EQ(function->power_control, "on");
    EXPECT_EQ(function->group, "40");
    EXPECT_EQ(function->members, (Words{"0000:3b:00.0"}));
    EXPECT_EQ(function->siblings, (Words{"0000:3b:00.1"}));
    EXPECT_EQ(function->reset_methods, (Words{"flr", "bus"}));
    EXPECT_EQ(function->interfaces, (Words{"ens1f0np0"}));
    EXPECT_EQ(function->interrupt_vectors, 64U);
    // The seventh line is the expansion ROM.
    EXPECT_EQ(function->bars,
              (std::vector<PciBar>{{0, 64 << 10, true}, {2, 1 << 20, true}, {4, 32 << 10, true}}));
    EXPECT_TRUE(function->is_network());
    EXPECT_FALSE(function->is_bridge());
    EXPECT_FALSE(function->virtual_function);
}

TEST(PciFunction, OfAnMlx5Card) {
    const TemporaryFolder root;
    make_mlx5_machine(root);
    const auto card = read_function(root.path(), "0000:5e:00.0");
    ASSERT_TRUE(card);
    EXPECT_EQ(card->virtual_functions, 1U);
    EXPECT_EQ(card->bars, (std::vector<PciBar>{{0, 32 << 20, true}}));
    const auto part = read_function(root.path(), "0000:5e:00.2");
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->virtual_function);
}

TEST(PciFunction, WhatIsNotThere) {
    const TemporaryFolder root;
    make_bnxt_machine(root);
    const auto missing = read_function(root.path(), "0000:3b:00.2");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ENODEV);
    for (const char* text : {"", "3b:00.0", "0000:3b:00.8", "0000:3B:00.0", "0000:3b:00.0/..",
                             "../../../x:y", "0000-3b:00.0"}) {
        const auto wrong = read_function(root.path(), text);
        ASSERT_FALSE(wrong) << text;
        EXPECT_EQ(wrong.error().code, EINVAL) << text;
    }
}

TEST(MsixVectors, OfShortAndCircularSpaces) {
    std::vector<std::byte> space(256);
    EXPECT_EQ(msix_vectors(space), 0U);
    space[0x06] = std::byte{0x10};
    space[0x34] = std::byte{0x40};
    space[0x40] = std::byte{0x01};
    space[0x41] = std::byte{0x40};  // the list bites its tail
    EXPECT_EQ(msix_vectors(space), 0U);
    space[0x41] = std::byte{0x60};
    space[0x60] = std::byte{0x11};
    space[0x62] = std::byte{0xff};
    space[0x63] = std::byte{0xff};
    EXPECT_EQ(msix_vectors(space), 2048U);
    // Without root only the header can be read.
    EXPECT_EQ(msix_vectors(std::span(space).first(64)), 0U);
    EXPECT_EQ(msix_vectors({}), 0U);
}

TEST(MemoryBars, WithoutRoomAndWithoutSense) {
    const auto bars = memory_bars(
        "0x0000000000000000 0x00000000000fffff 0x0000000020140200\n"  // no place
        "0x0000000000003000 0x00000000000030ff 0x0000000000040101\n"  // ports
        "nonsense\n"
        "0x2 0x1 0x200\n"
        "0xg 0x1 0x200\n"
        "0x00000000d0f10000 0x00000000d0f1ffff 0x0000000000040200\n");
    EXPECT_EQ(bars, (std::vector<PciBar>{{0, 1 << 20, false}, {5, 64 << 10, true}}));
}

}  // namespace
}  // namespace zcrxlab
