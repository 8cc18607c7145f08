// What tells failures of lists apart.
#include "lists/runs/fingerprint.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TEST(Fingerprint, HasNoNumbers) {
    const std::string first = fingerprint_of(
        "\"wait s1 bytes=60000\" did not hold in time: stream 1 has 16384 of the 60000 bytes that "
        "the peer's socket took, data waits in its socket, armed, last final result 0");
    EXPECT_EQ(first, fingerprint_of(
                         "\"wait s2 bytes=7\" did not hold in time: stream 2 has 0 of the 7 bytes "
                         "that the peer's socket took, data waits in its socket, armed, last final "
                         "result 0\nmore"));
    EXPECT_NE(first, fingerprint_of(
                         "\"wait s2 bytes=7\" did not hold in time: stream 2 has 0 of the 7 bytes "
                         "that the peer's socket took, not armed, last final result -ENOMEM"));
    EXPECT_EQ(fingerprint_of("lists/player/list_player.cpp:12: A CQE came"), "A CQE came");
    EXPECT_EQ(fingerprint_of(
                  "lists/player/list_player.cpp:12: Failed\nI2 (x (y)) does not hold: 2 there"),
              "I2: # there");
    EXPECT_EQ(fingerprint_of("I1 (x) does not hold: byte 0x1f at 77"), "I1: byte # at #");
    EXPECT_EQ(fingerprint_of(""), "");
}

TEST(Fingerprint, OfASplatIsItsFrames) {
    const std::string console =
        "[    1.0] boot\n[    2.0] BUG: kernel NULL pointer dereference, address: 0000\n"
        "[    2.1] RIP: 0010:io_zcrx_put+0x12/0x80\n[    2.2]  io_one+0x1/0x2\n"
        "[    2.2]  io_two+0x1/0x2 [mod]\n[    2.2]  io_three+0x1/0x2\n";
    EXPECT_EQ(splat_fingerprint(console),
              "BUG: kernel NULL pointer dereference, ad in io_zcrx_put < io_one < io_two");
    EXPECT_EQ(splat_fingerprint("all is well +0x1/0x2\n"), "");
}

TEST(Fingerprint, NamesFoldersThatDiffer) {
    const std::string name = folder_name("I1 (every byte/../) x");
    EXPECT_EQ(name.find_first_of("/. ()"), std::string::npos) << name;
    EXPECT_NE(name, folder_name("I1 (every byte/../) y"));
}

}  // namespace
}  // namespace zcrxlab
