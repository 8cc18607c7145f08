// Tests of DmaMap: which memory a device reaches, and that it reaches no other.
#include "nic/transport/dma_map.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "tests/nic/transport/client_messages.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

constexpr uint64_t kPage = DmaMap::kPage;
constexpr DmaMap::Rights kBoth{.read = true, .write = true};
constexpr DmaMap::Rights kReadOnly{.read = true, .write = false};

class DmaMapTest : public testing::Test {
  protected:
    void SetUp() override { map.set_bus_master(true); }

    int add(uint64_t address, uint64_t pages, uint64_t file_page = 0,
            DmaMap::Rights rights = kBoth) {
        auto done = map.map(address, pages * kPage, file_page * kPage, rights, copy_of(file));
        return done ? 0 : done.error().code;
    }
    int remove(uint64_t address, uint64_t pages) {
        auto done = map.unmap(address, pages * kPage);
        return done ? static_cast<int>(*done) : -done.error().code;
    }
    bool write(uint64_t address, const std::string& text) {
        return map.write(address, std::as_bytes(std::span(text)));
    }
    std::string read(uint64_t address, size_t size) {
        std::string text(size, '\0');
        return map.read(address, std::as_writable_bytes(std::span(text))) ? text : "refused";
    }
    std::string in_file(uint64_t offset, size_t size) {
        std::string text(size, '\0');
        EXPECT_EQ(::pread(file.get(), text.data(), size, static_cast<off_t>(offset)),
                  static_cast<ssize_t>(size));
        return text;
    }

    Fd file = memory_file(64 * kPage);
    DmaMap map;
};

TEST_F(DmaMapTest, ReadsAndWritesTheFile) {
    ASSERT_EQ(add(0x100000, 4, 8), 0);
    EXPECT_TRUE(write(0x100010, "hello"));
    EXPECT_EQ(in_file(8 * kPage + 0x10, 5), "hello");
    EXPECT_EQ(read(0x100010, 5), "hello");
    EXPECT_TRUE(write(0x103ffb, "hello")) << "up to the last byte";
    EXPECT_FALSE(write(0x103ffc, "hello")) << "one byte too far";
    EXPECT_EQ(map.refused(), 1u);
}

TEST_F(DmaMapTest, NothingIsMappedAtFirst) {
    EXPECT_FALSE(write(0, "x"));
    EXPECT_EQ(read(0x1000, 1), "refused");
    EXPECT_FALSE(map.store_release(0, uint16_t{1}));
    EXPECT_TRUE(write(0x1000, "")) << "no bytes need no memory";
}

TEST_F(DmaMapTest, RefusesAllWhileBusMasteringIsOff) {
    ASSERT_EQ(add(0, 4), 0);
    map.set_bus_master(false);
    EXPECT_FALSE(write(0, "x"));
    EXPECT_FALSE(write(0, ""));
    EXPECT_EQ(read(0, 1), "refused");
    EXPECT_FALSE(map.store_release(0, uint16_t{1}));
    EXPECT_FALSE(map.store_release(0, uint32_t{1}));
    EXPECT_EQ(in_file(0, 1), std::string(1, '\0'));
    map.set_bus_master(true);
    EXPECT_TRUE(write(0, "x"));
}

TEST_F(DmaMapTest, OverlapsAreRefused) {
    ASSERT_EQ(add(0x10000, 4), 0);
    EXPECT_EQ(add(0x10000, 4), EEXIST);
    EXPECT_EQ(add(0x0f000, 2), EEXIST);
    EXPECT_EQ(add(0x13000, 1), EEXIST);
    EXPECT_EQ(add(0x11000, 1), EEXIST);
    EXPECT_EQ(add(0x0f000, 8), EEXIST);
    EXPECT_EQ(add(0x0f000, 1), 0);
    EXPECT_EQ(add(0x14000, 1), 0);
    EXPECT_EQ(map.ranges(), 3u);
}

TEST_F(DmaMapTest, ImpossibleRangesAreRefused) {
    constexpr uint64_t kTop = std::numeric_limits<uint64_t>::max() - kPage + 1;
    EXPECT_EQ(map.map(0, 0, 0, kBoth, copy_of(file)).error().code, EINVAL);
    EXPECT_EQ(add(kTop, 2), EINVAL) << "wraps";
    EXPECT_EQ(map.map(1, kPage, 0, kBoth, copy_of(file)).error().code, EINVAL);
    EXPECT_EQ(map.map(0, kPage - 1, 0, kBoth, copy_of(file)).error().code, EINVAL);
    EXPECT_EQ(map.map(0, kPage, 2048, kBoth, copy_of(file)).error().code, EINVAL);
    EXPECT_EQ(add(0, 1, 0, {}), EINVAL) << "no rights";
    EXPECT_EQ(add(0, 65), EINVAL) << "beyond the file";
    EXPECT_EQ(add(0, 1, 64), EINVAL) << "behind the file";
    EXPECT_EQ(map.map(0, kPage, kTop, kBoth, copy_of(file)).error().code, EINVAL);
    EXPECT_EQ(map.map(0, kPage, 0, kBoth, event_file()).error().code, EINVAL);
    EXPECT_EQ(map.map(0, kPage, 0, kBoth, Fd(::open("/dev/zero", O_RDWR))).error().code, EINVAL);
    EXPECT_EQ(map.ranges(), 0u);
    EXPECT_EQ(map.files(), 0u);
}

TEST_F(DmaMapTest, TheLastPageOfTheAddressSpaceIsUsable) {
    constexpr uint64_t kTop = std::numeric_limits<uint64_t>::max() - kPage + 1;
    ASSERT_EQ(add(kTop, 1), 0);
    EXPECT_TRUE(write(std::numeric_limits<uint64_t>::max(), "x"));
    ASSERT_EQ(add(0, 1, 1), 0);
    EXPECT_FALSE(write(std::numeric_limits<uint64_t>::max(), "xy")) << "must not wrap to 0";
    EXPECT_EQ(remove(kTop, 1), 1);
}

// What QEMU says while a guest boots and turns its IOMMU on: all of its memory, then pages of it.
TEST_F(DmaMapTest, TheFirstMappingTellsThePhysicalAddress) {
    ASSERT_EQ(add(0, 16), 0);
    ASSERT_EQ(add(0x100000000, 16, 16), 0) << "memory above the hole below 4 GiB";
    EXPECT_EQ(map.physical(0x3004, 100), 0x3004U);
    EXPECT_EQ(map.physical(0x100001004, 100), 0x100001004U);
    EXPECT_EQ(map.unmap_all(), 2U);
    EXPECT_EQ(map.physical(0x3004, 100), std::nullopt);

    ASSERT_EQ(add(0xfffff000, 1, 3), 0);
    ASSERT_EQ(add(0xffff0000, 2, 17), 0);
    EXPECT_EQ(map.physical(0xfffff010, 16), 0x3010U);
    EXPECT_EQ(map.physical(0xffff0000, 2 * kPage), 0x100001000U);
    EXPECT_EQ(map.physical(0xffff1fff, 2), std::nullopt) << "beyond its end";
    ASSERT_EQ(remove(0xfffff000, 1), 1);
    EXPECT_EQ(map.physical(0xfffff010, 16), std::nullopt) << "unmapped";
    ASSERT_EQ(add(0xfffff000, 1, 4), 0);
    EXPECT_EQ(map.physical(0xfffff010, 16), 0x4010U) << "another page at the same bus address";

    map.forget_client();
    ASSERT_EQ(add(0xfffff000, 1, 4), 0);
    EXPECT_EQ(map.physical(0xfffff010, 16), 0xfffff010U);
}

TEST_F(DmaMapTest, APhysicalAddressIsThatOfOnePiece) {
    ASSERT_EQ(add(0, 4), 0);
    ASSERT_EQ(add(0x10000, 4, 4), 0);
    map.unmap_all();
    ASSERT_EQ(add(0x20000, 1, 0), 0);
    ASSERT_EQ(add(0x21000, 1, 1), 0);
    ASSERT_EQ(add(0x22000, 1, 3), 0);
    EXPECT_EQ(map.physical(0x20010, 2 * kPage - 0x10), 0x10U) << "neighbours in both";
    EXPECT_EQ(map.physical(0x21ffe, 2), 0x1ffeU);
    EXPECT_EQ(map.physical(0x21ffe, 3), std::nullopt) << "neighbours on the bus only";
    ASSERT_EQ(add(0x30000, 8), 0);
    EXPECT_EQ(map.physical(0x33ffe, 2), 0x3ffeU);
    EXPECT_EQ(map.physical(0x33ffe, 3), std::nullopt) << "one range of two pieces has no address";
    // What lay between known pieces becomes known with the first range that shows it.
    ASSERT_EQ(add(0x50000, 10), 0);
    map.unmap_all();
    ASSERT_EQ(add(0x60000, 1, 8), 0);
    EXPECT_EQ(map.physical(0x60000, kPage), 0x58000U);
}

TEST_F(DmaMapTest, AccessesCrossRanges) {
    ASSERT_EQ(add(0x10000, 1, 5), 0);
    ASSERT_EQ(add(0x11000, 1, 2), 0);
    ASSERT_EQ(add(0x12000, 1, 9), 0);
    std::string text(kPage + 20, 'a');
    text.front() = 'F';
    text.back() = 'L';
    ASSERT_TRUE(write(0x10ff6, text));
    EXPECT_EQ(in_file(5 * kPage + 0xff6, 2), "Fa");
    EXPECT_EQ(in_file(2 * kPage, kPage), std::string(kPage, 'a'));
    EXPECT_EQ(in_file(9 * kPage + 8, 3), std::string("aL\0", 3));
    EXPECT_EQ(read(0x10ff6, text.size()), text);
}

TEST_F(DmaMapTest, NothingIsWrittenUnlessAllCanBe) {
    ASSERT_EQ(add(0x10000, 1, 0), 0);
    ASSERT_EQ(add(0x11000, 1, 1, kReadOnly), 0);
    EXPECT_FALSE(write(0x10ffe, "abcd"));
    EXPECT_EQ(in_file(0xffe, 4), std::string(4, '\0'));
    EXPECT_FALSE(write(0x0fffe, "abcd"));
    EXPECT_EQ(in_file(0, 2), std::string(2, '\0'));
    EXPECT_EQ(read(0x10ffe, 4), std::string(4, '\0')) << "reading may cross";
}

TEST_F(DmaMapTest, RightsAreKept) {
    ASSERT_EQ(add(0x10000, 1, 0, kReadOnly), 0);
    ASSERT_EQ(add(0x20000, 1, 1, {.read = false, .write = true}), 0);
    EXPECT_FALSE(write(0x10000, "x"));
    EXPECT_FALSE(map.store_release(0x10000, uint16_t{1}));
    EXPECT_EQ(read(0x10000, 1), std::string(1, '\0'));
    EXPECT_TRUE(write(0x20000, "x"));
    EXPECT_EQ(read(0x20000, 1), "refused");
}

TEST_F(DmaMapTest, AFileOpenForReadingCanOnlyBeRead) {
    std::string path = "/proc/self/fd/" + std::to_string(file.get());
    auto open_readonly = [&] { return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); };
    EXPECT_EQ(map.map(0, kPage, 0, kBoth, open_readonly()).error().code, EACCES);
    EXPECT_EQ(map.files(), 0u);
    ASSERT_TRUE(map.map(0, kPage, 0, kReadOnly, open_readonly()).ok());
    EXPECT_EQ(read(0, 1), std::string(1, '\0'));
    ASSERT_EQ(add(0x1000, 1, 1), 0) << "the same file, now writable";
    EXPECT_TRUE(write(0x1000, "x"));
    EXPECT_FALSE(write(0, "x"));
}

TEST_F(DmaMapTest, ARangeWithoutAFileIsRememberedAndRefused) {
    ASSERT_TRUE(map.map(0x10000, kPage, 0, kBoth, Fd()).ok());
    EXPECT_EQ(add(0x10000, 1), EEXIST);
    EXPECT_FALSE(write(0x10000, "x"));
    EXPECT_EQ(read(0x10000, 1), "refused");
    EXPECT_EQ(remove(0x10000, 1), 1);
}

TEST_F(DmaMapTest, StoresAreAlignedAndInHostOrder) {
    ASSERT_EQ(add(0x10000, 2), 0);
    EXPECT_TRUE(map.store_release(0x10002, uint16_t{0x1234}));
    EXPECT_TRUE(map.store_release(0x11ffc, uint32_t{0x12345678}));
    EXPECT_EQ(in_file(2, 2), "\x34\x12");
    EXPECT_EQ(in_file(0x1ffc, 4), "\x78\x56\x34\x12");
    EXPECT_FALSE(map.store_release(0x10001, uint16_t{1}));
    EXPECT_FALSE(map.store_release(0x10002, uint32_t{1}));
    EXPECT_FALSE(map.store_release(0x10fff, uint16_t{1}));
    EXPECT_FALSE(map.store_release(0x12000, uint32_t{1}));
    EXPECT_EQ(in_file(0, 2), std::string(2, '\0'));
}

TEST_F(DmaMapTest, UnmappedMemoryIsOutOfReachAtOnce) {
    ASSERT_EQ(add(0x10000, 4), 0);
    ASSERT_TRUE(write(0x10000, "x")) << "now it is among the recent ones";
    EXPECT_EQ(remove(0x10000, 4), 1);
    EXPECT_FALSE(write(0x10000, "x"));
    EXPECT_EQ(map.files(), 0u) << "the file is let go";
    ASSERT_EQ(add(0x10000, 4, 16), 0);
    ASSERT_TRUE(write(0x10000, "y"));
    EXPECT_EQ(in_file(16 * kPage, 1), "y");
}

TEST_F(DmaMapTest, ARefusalIsExplained) {
    ASSERT_EQ(add(0x10000, 2, 0, kReadOnly), 0);
    ASSERT_EQ(add(0x20000, 1, 4), 0);
    const auto why = [this](uint64_t address, uint64_t size, bool for_writing) {
        return std::string(map.why_refused(address, size, for_writing));
    };
    EXPECT_EQ(why(0x10000, 8, true), "is mapped for reading only");
    EXPECT_EQ(why(0x11ff8, 16, false), "is not mapped");
    EXPECT_EQ(why(0x90000, 1, false), "is not mapped");
    EXPECT_EQ(why(0x20001, 2, true), "is not aligned");
    EXPECT_EQ(why(UINT64_MAX, 2, true), "goes beyond the end of the address space");
    ASSERT_EQ(remove(0x20000, 1), 1);
    EXPECT_EQ(why(0x20000, 64, true), "is not mapped any more");
    EXPECT_EQ(why(0x20fff, 64, false), "is not mapped any more");
    EXPECT_EQ(why(0x21000, 1, false), "is not mapped");
    map.set_bus_master(false);
    EXPECT_EQ(why(0x10000, 8, false), "cannot be reached while bus mastering is off");
}

TEST_F(DmaMapTest, UnmapTakesWholeRangesOnly) {
    ASSERT_EQ(add(0x10000, 4, 0), 0);
    ASSERT_EQ(add(0x14000, 4, 4), 0);
    EXPECT_EQ(remove(0x11000, 1), -EINVAL);
    EXPECT_EQ(remove(0x10000, 2), -EINVAL);
    EXPECT_EQ(remove(0x12000, 6), -EINVAL);
    EXPECT_EQ(remove(0x10000, 6), -EINVAL);
    EXPECT_EQ(remove(0x10000, 0), -EINVAL);
    EXPECT_EQ(remove(std::numeric_limits<uint64_t>::max() - kPage + 1, 2), -EINVAL);
    EXPECT_EQ(map.ranges(), 2u);
    EXPECT_EQ(remove(0x20000, 16), 0) << "nothing there";
    EXPECT_EQ(remove(0x00000, 0x100), 2) << "a window around both";
    EXPECT_EQ(map.ranges(), 0u);
}

TEST_F(DmaMapTest, UnmapAllForgetsEverything) {
    ASSERT_EQ(add(0x10000, 4, 0), 0);
    ASSERT_EQ(add(0x20000, 4, 4), 0);
    ASSERT_TRUE(write(0x20000, "x"));
    EXPECT_EQ(map.unmap_all(), 2u);
    EXPECT_FALSE(write(0x20000, "x"));
    EXPECT_EQ(map.files(), 0u);
}

TEST_F(DmaMapTest, AFileIsMappedOnceForManyPages) {
    for (uint64_t page = 0; page < 64; page++)
        ASSERT_EQ(add(0x100000 + page * kPage, 1, 63 - page), 0);
    EXPECT_EQ(map.files(), 1u);
    Fd other = memory_file(kPage);
    ASSERT_TRUE(map.map(0, kPage, 0, kBoth, std::move(other)).ok());
    EXPECT_EQ(map.files(), 2u);
    ASSERT_TRUE(write(0x100000, "first"));
    EXPECT_EQ(in_file(63 * kPage, 5), "first");
}

TEST_F(DmaMapTest, AFileMayGrow) {
    ASSERT_EQ(add(0, 64), 0);
    EXPECT_EQ(add(0x100000, 1, 64), EINVAL);
    ASSERT_EQ(::ftruncate(file.get(), 128 * kPage), 0);
    ASSERT_EQ(add(0x100000, 64, 64), 0);
    EXPECT_TRUE(write(0x100000, "new"));
    EXPECT_TRUE(write(0, "old"));
    EXPECT_EQ(in_file(64 * kPage, 3), "new");
    EXPECT_EQ(in_file(0, 3), "old");
}

TEST_F(DmaMapTest, TheNumberOfRangesIsBounded) {
    for (uint64_t i = 0; i < kMaximumDmaMaps; i++)
        ASSERT_TRUE(map.map(i * kPage, kPage, 0, kBoth, Fd()).ok());
    EXPECT_EQ(add(uint64_t{kMaximumDmaMaps} * kPage, 1), ENOSPC);
}

// Random maps, unmaps and accesses against a model that keeps one entry for each page.
TEST_F(DmaMapTest, AgreesWithAModelOfPages) {
    constexpr uint64_t kPages = 48;
    std::mt19937 random(1);
    auto below = [&](uint64_t limit) { return random() % limit; };
    struct Page {
        bool mapped = false;
        bool writable = false;
        uint64_t file_page = 0;
        uint64_t range = 0;  // where its range begins
        uint64_t length = 0;
    };
    std::vector<Page> model(kPages);
    std::string content(64 * kPage, '\0');
    for (int step = 0; step < 20000; step++) {
        uint64_t page = below(kPages);
        uint64_t count = 1 + below(4);
        uint64_t end = std::min(page + count, kPages);
        count = end - page;
        switch (below(4)) {
            case 0: {
                uint64_t file_page = below(60);
                bool writable = below(4) != 0;
                bool free = true;
                for (uint64_t i = page; i < end; i++) free &= !model[i].mapped;
                int got = add(page * kPage, count, file_page, writable ? kBoth : kReadOnly);
                ASSERT_EQ(got, free ? 0 : EEXIST);
                if (!free) break;
                for (uint64_t i = page; i < end; i++)
                    model[i] = {true, writable, file_page + i - page, page, count};
                break;
            }
            case 1: {
                bool cut = false;
                int ranges = 0;
                for (uint64_t i = page; i < end; i++) {
                    const Page& p = model[i];
                    if (!p.mapped) continue;
                    cut |= p.range < page || p.range + p.length > end;
                    ranges += p.range == i ? 1 : 0;
                }
                ASSERT_EQ(remove(page * kPage, count), cut ? -EINVAL : ranges);
                if (cut) break;
                for (uint64_t i = page; i < end; i++) model[i] = {};
                break;
            }
            default: {
                bool writing = below(2) == 0;
                uint64_t address = page * kPage + below(kPage);
                uint64_t size = 1 + below(2 * kPage);
                bool allowed = address + size <= kPages * kPage;
                for (uint64_t a = address; allowed && a < address + size; a++)
                    allowed &= model[a / kPage].mapped && (!writing || model[a / kPage].writable);
                std::string text(size, static_cast<char>(random()));
                if (writing) {
                    ASSERT_EQ(write(address, text), allowed);
                } else {
                    text = read(address, size);
                    ASSERT_TRUE(allowed || text == "refused");
                }
                for (uint64_t i = 0; allowed && i < size; i++) {
                    char& byte = content[model[(address + i) / kPage].file_page * kPage +
                                         (address + i) % kPage];
                    if (writing) byte = text[i];
                    ASSERT_EQ(byte, text[i]);
                }
            }
        }
    }
    EXPECT_EQ(in_file(0, content.size()), content);
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
