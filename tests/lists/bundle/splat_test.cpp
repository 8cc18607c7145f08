// Splats: the functions in them, and places from nm and addr2line.
#include <gtest/gtest.h>

#include "lists/bundle/splat.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kSplat = R"([   12.3] WARNING: CPU: 0 PID: 1 at io_zcrx_put+0x4c/0x60
[   12.3] RIP: 0010:io_zcrx_put+0x4c/0x60
[   12.3] Call Trace:
[   12.3]  <TASK>
[   12.3]  io_recvzc.constprop.0+0x11/0x200
[   12.3]  gve_rx+0x10/0x20 [gve]
[   12.3]  ? nowhere+0x1/0x2
[   12.3]  end
)";
constexpr const char* kNm = R"(ffffffff81000000 T io_zcrx_put
ffffffff81000100 t io_recvzc.constprop.0
ffffffff81000200 d some_data
                 U undefined
)";
constexpr const char* kAddr2line = R"(0xffffffff8100004c
io_zcrx_put_locked
/build/linux/io_uring/zcrx.c:812 (discriminator 2)
io_zcrx_put
/build/linux/io_uring/zcrx.c:900
0xffffffff81000110
??
??:0
)";

TEST(Splat, HasItsFunctions) {
    const auto places = places_in(kSplat);
    ASSERT_EQ(places.size(), 5U);
    EXPECT_EQ(places[1].function, "io_zcrx_put");
    EXPECT_EQ(places[1].offset, 0x4cU);
    EXPECT_TRUE(places[1].at);
    EXPECT_EQ(places[2].function, "io_recvzc.constprop.0");
    EXPECT_FALSE(places[2].at);
    EXPECT_EQ(places[3].module, "gve");
    EXPECT_EQ(places[4].module, "");
}

TEST(Splat, IsAskedForBehindACall) {
    EXPECT_EQ(addresses_of(kSplat, symbols_from(kNm)),
              (std::vector<uint64_t>{0xffffffff8100004c, 0xffffffff8100004c, 0xffffffff81000110}));
}

TEST(Splat, GetsPlacesWhereTheyAreKnown) {
    const DecodedSplat decoded = with_lines(kSplat, symbols_from(kNm), lines_from(kAddr2line));
    EXPECT_EQ(decoded.decoded, 2U);
    EXPECT_NE(decoded.text.find("RIP: 0010:io_zcrx_put+0x4c/0x60 (/build/linux/io_uring/zcrx.c:812 "
                                "< /build/linux/io_uring/zcrx.c:900)\n"),
              std::string::npos)
        << decoded.text;
    EXPECT_NE(decoded.text.find("io_recvzc.constprop.0+0x11/0x200\n"), std::string::npos);
    EXPECT_NE(decoded.text.find("  end\n"), std::string::npos);
}

TEST(Splat, TakesAnything) {
    for (const char* text :
         {"", "+0x1/0x2", "a+0x/0x", "a+0x1/0xzz", "a+0xffffffffffffffffff/0x1", "/0x+0x"})
        EXPECT_TRUE(places_in(text).size() <= 1) << text;
    EXPECT_TRUE(symbols_from("zz t a\n1 tt b\n").empty());
    EXPECT_TRUE(lines_from("a\nb\n0xzz\nc\nd:1\n").empty());
}

}  // namespace
}  // namespace zcrxlab
