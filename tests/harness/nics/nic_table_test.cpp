// The table of NICs: its rows can be told apart, and names lead to them.
#include "harness/nics/nic_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zcrxlab {
namespace {

TEST(NicTable, EachRowIsWhole) {
    std::set<std::string_view> names;
    for (const NicRow& row : nic_rows()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
        EXPECT_FALSE(row.sentence.empty()) << row.name;
        EXPECT_FALSE(row.sentence.ends_with('.')) << row.name;
        EXPECT_EQ(row.place == NicPlace::kPassedIn || row.place == NicPlace::kThisMachine,
                  !row.argument.empty())
            << row.name << ": a card has to be named";
        EXPECT_EQ(row.place == NicPlace::kNicProgram, !row.model.empty()) << row.name;
        EXPECT_TRUE(row.target.empty() || find_target(row.target) != nullptr) << row.name;
        EXPECT_TRUE(!row.mutations || row.place == NicPlace::kNicProgram) << row.name;
        EXPECT_TRUE(!row.patched || row.place == NicPlace::kGuestDriver) << row.name;
        EXPECT_NE(row.receiver_slot, row.peer_slot) << row.name;
    }
}

TEST(NicTable, NamesLeadToRows) {
    EXPECT_EQ(find_nic("gve"), &default_nic());
    EXPECT_EQ(find_nic("netdevsim")->patched, true);
    EXPECT_EQ(find_nic("netdevsim-stock")->patched, false);
    EXPECT_EQ(find_nic("nodev"), &nic_at(NicPlace::kNowhere));
    EXPECT_EQ(find_nic("vfio:0000:3b:00.0"), &nic_at(NicPlace::kPassedIn));
    EXPECT_EQ(find_nic("nic:eth0"), &nic_at(NicPlace::kThisMachine));
    for (const char* none : {"", "vfio", "nic", "gve:", "gv", "gves", "toaster", "vfio0:"})
        EXPECT_EQ(find_nic(none), nullptr) << none;
}

TEST(NicTable, TargetsLeadToRows) {
    EXPECT_EQ(find_target("gve"), &default_nic());
    EXPECT_EQ(find_target("nic"), &nic_at(NicPlace::kThisMachine));
    for (const char* none : {"", "vfio", "vfio:0000:3b:00.0", "nic:eth0", "toaster"})
        EXPECT_EQ(find_target(none), nullptr) << none;
    EXPECT_TRUE(nic_is_at("netdevsim-stock", NicPlace::kGuestDriver));
    EXPECT_TRUE(nic_is_at("nic", NicPlace::kThisMachine));
    EXPECT_FALSE(nic_is_at("nic", NicPlace::kPassedIn));
    EXPECT_FALSE(nic_is_at("toaster", NicPlace::kNowhere));
}

TEST(NicTable, WhatNoDriverTakesIsNoTarget) {
    const NicRow* dummy = find_nic("dummy");
    ASSERT_NE(dummy, nullptr);
    EXPECT_FALSE(has_interface(*dummy));
    EXPECT_FALSE(is_in_matrix(*dummy));
    EXPECT_EQ(find_target("dummy"), nullptr);
    EXPECT_TRUE(has_interface(default_nic()));
    EXPECT_FALSE(has_interface(nic_at(NicPlace::kNowhere)));
}

TEST(NicTable, LabelsAreThoseOfTheCommandLine) {
    EXPECT_EQ(nic_labels(is_offered, "|"), "gve|bnxt|netdevsim|netdevsim-stock|nodev|vfio:ADDRESS");
    EXPECT_EQ(nic_labels(takes_faults, ", "), "gve, bnxt, netdevsim");
    EXPECT_EQ(nic_labels(takes_mutations, ", "), "gve, bnxt");
    EXPECT_EQ(nic_labels(is_in_matrix, "|"), "gve|bnxt|netdevsim|nodev");
    EXPECT_EQ(nic_labels(is_usual_in_matrix, ","), "gve,nodev");
    EXPECT_EQ(nic_labels(is_in_matrix_with_a_device, "|"), "gve|bnxt|netdevsim");
}

}  // namespace
}  // namespace zcrxlab
