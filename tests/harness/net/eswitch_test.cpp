// Answers of the family `devlink` about an embedded switch.
#include "harness/net/eswitch.hpp"

#include <gtest/gtest.h>

#include "tests/harness/net/hex.hpp"

namespace zcrxlab {
namespace {

// "pci", "0000:04:00.0", and what is behind them.
Result<EswitchMode> mode_in(const std::string& more) {
    return decode_eswitch_mode({0x1d, 0, 5,
                                from_hex("1d010000"
                                         "0800010070636900"
                                         "11000200303030303a30343a30302e3000000000" +
                                         more)});
}

TEST(EswitchAnswer, LegacyIsNoSwitch) {
    const auto mode = mode_in("0600190000000000");
    ASSERT_TRUE(mode) << mode.error().sentence;
    EXPECT_EQ(*mode, EswitchMode::kLegacy);
}

TEST(EswitchAnswer, EveryOtherModeIsOne) {
    for (const char* number : {"0600190001000000", "0600190002000000", "06001900ffff0000"}) {
        const auto mode = mode_in(number);
        ASSERT_TRUE(mode) << mode.error().sentence;
        EXPECT_EQ(*mode, EswitchMode::kOther) << number;
    }
}

TEST(EswitchAnswer, WithoutAModeItIsAnError) {
    for (const char* other : {"", "0800190000000000", "060018000000ffff"}) {
        const auto mode = mode_in(other);
        ASSERT_FALSE(mode) << other;
        EXPECT_EQ(mode.error().code, EBADMSG);
    }
}

}  // namespace
}  // namespace zcrxlab
