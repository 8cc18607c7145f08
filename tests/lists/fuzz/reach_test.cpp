// Counters of gcov, as gcc before and since version 12 writes them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "lists/fuzz/reach.hpp"

namespace zcrxlab {
namespace {

constexpr uint32_t kMagic = 0x67636461, kFunction = 0x01000000, kArcs = 0x01a10000;

std::string bytes_of(const std::vector<uint32_t>& words) {
    std::string bytes(words.size() * 4, '\0');
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

// Two functions, of two arcs and of one.
std::string gcc_12(uint32_t first, uint32_t second, uint32_t third) {
    return bytes_of({kMagic, 0x4232322a, 77, 0,     kFunction, 12,     5,     8,
                     9,      kArcs,      16, first, 0,         second, 0,     kFunction,
                     12,     6,          8,  9,     kArcs,     8,      third, 0});
}

std::string gcc_9(uint32_t first, uint32_t second, uint32_t third) {
    return bytes_of({kMagic, 0x4139332a, 77, kFunction, 3, 5, 8,     9, kArcs, 4, first, 0, second,
                     0,      kFunction,  3,  6,         8, 9, kArcs, 2, third, 0});
}

std::vector<Arc> arcs_of(const std::string& gcda, const char* object = "b/io_uring/zcrx.gcda") {
    const auto arcs = arcs_in(object, gcda);
    EXPECT_TRUE(arcs) << (arcs ? "" : arcs.error().sentence);
    return arcs ? *arcs : std::vector<Arc>();
}

TEST(Reach, ReadsBothForms) {
    EXPECT_EQ(arcs_of(gcc_12(0, 0, 0)).size(), 0U);
    EXPECT_EQ(arcs_of(gcc_12(1, 0, 7)).size(), 2U);
    EXPECT_EQ(arcs_of(gcc_12(1, 2, 7)), arcs_of(gcc_9(3, 4, 5)));
    EXPECT_NE(arcs_of(gcc_12(1, 0, 0)), arcs_of(gcc_12(0, 1, 0)));
    EXPECT_NE(arcs_of(gcc_12(1, 0, 0)), arcs_of(gcc_12(0, 0, 1)));
}

TEST(Reach, KnowsAnObjectWhereverItWasBuilt) {
    const std::string gcda = gcc_12(1, 1, 1);
    EXPECT_EQ(arcs_of(gcda, "home/me/build/net/core/page_pool.gcda"),
              arcs_of(gcda, "core/page_pool.gcda"));
    EXPECT_NE(arcs_of(gcda, "io_uring/zcrx.gcda"), arcs_of(gcda, "core/page_pool.gcda"));
}

TEST(Reach, CountsWhatIsNewOnce) {
    Reach reach;
    EXPECT_EQ(reach.add(arcs_of(gcc_12(1, 0, 0))), 1U);
    EXPECT_EQ(reach.add(arcs_of(gcc_12(9, 0, 0))), 0U);
    EXPECT_EQ(reach.add(arcs_of(gcc_12(9, 1, 1))), 2U);
    EXPECT_EQ(reach.size(), 3U);
}

TEST(Reach, RefusesWhatIsNone) {
    const std::string whole = gcc_12(1, 2, 3);
    EXPECT_FALSE(arcs_in("x", ""));
    EXPECT_FALSE(arcs_in("x", "gcda"));
    EXPECT_FALSE(arcs_in("x", whole.substr(0, whole.size() - 4)));
    EXPECT_FALSE(arcs_in("x", bytes_of({kMagic, 1, 1, kFunction, 5, 1, 1, 1, 1, 1})));
    // So many counters that are 0 and not there.
    EXPECT_EQ(arcs_of(bytes_of({kMagic, 1, 1, 0, kFunction, 12, 1, 1, 1, kArcs,
                                static_cast<uint32_t>(-16)}))
                  .size(),
              0U);
}

}  // namespace
}  // namespace zcrxlab
