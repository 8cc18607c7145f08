// Numbers, hexadecimal digits and whole files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/base/file.hpp"
#include "harness/base/hex.hpp"
#include "harness/base/number.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(Number, IsTheWholeText) {
    EXPECT_EQ(number_from<int>("-12"), -12);
    EXPECT_EQ(number_from<unsigned>("12"), 12U);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "0x1", "-", "1.5"})
        EXPECT_EQ(number_from<int>(text), std::nullopt) << text;
    EXPECT_EQ(number_from<unsigned>("-1"), std::nullopt);
    EXPECT_EQ(number_from<uint8_t>("256"), std::nullopt);
    EXPECT_EQ(number_from<uint64_t>("18446744073709551616"), std::nullopt);
    EXPECT_EQ(number_from<int>("5", 1, 4), std::nullopt);
    EXPECT_EQ(number_from<int>("4", 1, 4), 4);
    EXPECT_EQ(number_from<int>("0", 1, 4), std::nullopt);
    EXPECT_EQ(number_from<double>("1.5"), 1.5);
    EXPECT_EQ(number_from<double>("-1e3"), -1000);
    for (const char* text : {"nan", "inf", "1e999", "1.5x", ""})
        EXPECT_EQ(number_from<double>(text), std::nullopt) << text;
    EXPECT_EQ(number_from_hex<uint32_t>("Ff"), 255U);
    EXPECT_EQ(number_from_hex<uint32_t>("0xff"), std::nullopt);
    EXPECT_EQ(number_from_hex<uint32_t>("100000000"), std::nullopt);
}

TEST(Number, IsTakenOffTheFront) {
    std::string_view text = "12/3";
    EXPECT_EQ(take_number<int>(text), 12);
    EXPECT_EQ(text, "/3");
    EXPECT_EQ(take_number<int>(text), std::nullopt);
    EXPECT_EQ(text, "/3");
}

TEST(Hex, GoesThereAndBack) {
    EXPECT_EQ(hex_of(std::string_view("\x00\x7f\xff", 3)), "007fff");
    EXPECT_EQ(bytes_from_hex("007fFF"), std::string("\x00\x7f\xff", 3));
    EXPECT_EQ(bytes_from_hex(""), "");
    for (const char* text : {"0", "0g", "g0", " 0", "0x"})
        EXPECT_EQ(bytes_from_hex(text), std::nullopt) << text;
    EXPECT_EQ(hex_of_number(uint32_t{0xabc}), "00000abc");
    EXPECT_EQ(hex_of_number(uint8_t{0xff}), "ff");
}

TEST(File, IsReadWhole) {
    TemporaryFolder folder;
    const std::string content = std::string(100'000, 'x') + std::string("\0\n", 2);
    folder.write("file", content);
    const auto read = read_file(folder.path() / "file");
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(*read, content);
    EXPECT_EQ(read_file(folder.path() / "none").error().code, ENOENT);
    EXPECT_EQ(read_file(folder.path()).error().code, EISDIR);
    EXPECT_EQ(text_of_file(folder.path() / "none"), "");
}

TEST(File, OfOneByteTooManyIsRefused) {
    TemporaryFolder folder;
    folder.write("file", "12345");
    EXPECT_EQ(*read_file(folder.path() / "file", 5), "12345");
    EXPECT_EQ(read_file(folder.path() / "file", 4).error().code, EFBIG);
    EXPECT_EQ(read_file("/dev/zero", 1000).error().code, EFBIG);
    EXPECT_EQ(*read_start(folder.path() / "file", 4), "1234");
    EXPECT_EQ(read_start("/dev/zero", 100'000)->size(), 100'000U);
}

TEST(File, OfProcTellsNoSize) {
    const auto text = read_file("/proc/self/status");
    ASSERT_TRUE(text) << text.error().sentence;
    EXPECT_TRUE(text->starts_with("Name:"));
    EXPECT_TRUE(text->ends_with("\n"));
}

TEST(File, IsWritten) {
    TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    ASSERT_TRUE(write_file(path, "longer"));
    ASSERT_TRUE(write_file(path, "short"));
    EXPECT_EQ(*read_file(path), "short");
    EXPECT_EQ(write_file(folder.path() / "no" / "file", "").error().code, ENOENT);
    EXPECT_EQ(write_file("/dev/full", "x").error().code, ENOSPC);
}

TEST(File, IsReplacedOrLeft) {
    TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    ASSERT_TRUE(replace_file(path, "old"));
    ASSERT_TRUE(replace_file(path, "new"));
    EXPECT_EQ(*read_file(path), "new");
    fs::create_directories(folder.path() / "full" / "x");
    EXPECT_FALSE(replace_file(folder.path() / "full", "new"));
    // Nothing unfinished is left behind.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
}

}  // namespace
}  // namespace zcrxlab
