// Flow rules that are read while another program puts them in and takes them away.
#include "harness/lab/settings.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace zcrxlab {
namespace {

// A NIC whose rules are at these locations.
class Rules {
  public:
    explicit Rules(std::set<uint32_t> at) : at_(std::move(at)) {}
    // Goes before it is read.
    uint32_t goes = UINT32_MAX;
    // Is in the list, and cannot be read.
    uint32_t broken = UINT32_MAX;

    Result<FlowRules> read() {
        return read_rules(
            [this]() -> Result<std::vector<uint32_t>> {
                return std::vector<uint32_t>(at_.begin(), at_.end());
            },
            [this](uint32_t location) -> Result<ethtool_rx_flow_spec> {
                at_.erase(goes);
                if (!at_.contains(location) || location == broken)
                    return Error{EINVAL, "get the rule: Invalid argument"};
                ethtool_rx_flow_spec rule{};
                rule.location = location;
                return rule;
            });
    }

  private:
    std::set<uint32_t> at_;
};

TEST(Settings, ARuleThatGoesWhileTheyAreReadIsNotThere) {
    Rules rules({0, 3, 7});
    EXPECT_EQ(rules.read()->size(), 3u);
    rules.goes = 3;
    const auto read = rules.read();
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->size(), 2u);
    EXPECT_FALSE(read->contains(3));
}

TEST(Settings, ARuleThatIsThereAndCannotBeReadIsAnError) {
    Rules rules({0, 3});
    rules.broken = 3;
    const auto read = rules.read();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, EINVAL);
}

TEST(Settings, OnlyADriverWithoutRulesHasNone) {
    const auto read_where = [](int code) {
        return read_rules(
            [code]() -> Result<std::vector<uint32_t>> {
                return Error{code, "count the rules"};
            },
            [](uint32_t) -> Result<ethtool_rx_flow_spec> {
                return Error{EINVAL, "never asked"};
            });
    };
    ASSERT_TRUE(read_where(EOPNOTSUPP));
    EXPECT_TRUE(read_where(EOPNOTSUPP)->empty());
    ASSERT_FALSE(read_where(EBUSY));
    EXPECT_EQ(read_where(EBUSY).error().code, EBUSY);
}

}  // namespace
}  // namespace zcrxlab
