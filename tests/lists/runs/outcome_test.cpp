// Outcomes, policies and cuts: what is seen in traces, and when two runs did the same.
#include <gtest/gtest.h>

#include <cerrno>

#include "lists/from_trace/not_lists.hpp"
#include "lists/from_trace/returns_seen.hpp"
#include "lists/from_trace/sends_seen.hpp"
#include "lists/runs/outcome.hpp"

namespace zcrxlab {
namespace {

using Numbers = std::vector<uint64_t>;

TEST(Cut, IsThePeriodOfTheWrites) {
    EXPECT_EQ(cut_of({65536, 65536, 100}).bytes, Numbers{65536});
    EXPECT_EQ(cut_of({1, 2, 3, 1, 2, 3, 1}).bytes, (Numbers{1, 2, 3}));
    EXPECT_EQ(cut_of({1, 2, 3, 1, 1}).bytes, (Numbers{1, 2, 3}));
    EXPECT_EQ(cut_of({5}).bytes, Numbers{5});
    EXPECT_TRUE(cut_of({}).bytes.empty());
    Numbers odd;
    for (uint64_t i = 0; i < 200; ++i) odd.push_back(i * i + 1);
    const Cut cut = cut_of(odd);
    EXPECT_FALSE(cut.exact);
    EXPECT_EQ(cut.bytes.size(), 64U);
}

// CQEs as positive offsets, returns as negative ones.
ReturnsSeen seen(const std::vector<int64_t>& steps) {
    std::vector<Event> events;
    for (const int64_t step : steps)
        events.push_back({0, step > 0 ? EventBody(CqeSeen{.ifq = 1,
                                                          .stream = 1,
                                                          .result = 1,
                                                          .flags = 2,
                                                          .offset = static_cast<uint64_t>(step)})
                                      : EventBody(BufferReturned{
                                            .ifq = 1, .offset = static_cast<uint64_t>(-step)})});
    return returns_seen(events, 1, {});
}

TEST(Returns, ArePolicies) {
    EXPECT_EQ(seen({1, -1, 2, -2}).policy, "at_once");
    const ReturnsSeen hold = seen({1, 2, 3, -1, 4, -2, 5, -3, -4, -5});
    EXPECT_EQ(hold.policy, "hold");
    EXPECT_EQ(hold.hold, 2U);
    ASSERT_EQ(hold.runs.size(), 1U);
    EXPECT_EQ(hold.runs.at(8).count, 2U);
    EXPECT_TRUE(hold.runs.at(8).all);
    const ReturnsSeen reverse = seen({1, 2, 3, -3, -2, -1, 4, 5, 6, -6, -5, -4});
    EXPECT_EQ(reverse.policy, "reverse");
    EXPECT_EQ(reverse.hold, 3U);
    EXPECT_TRUE(reverse.runs.empty());
    EXPECT_EQ(seen({1, 2, 3}).policy, "never");
    EXPECT_GT(seen({1, 2, 3, 4, 5, -3, -1, -4, -2, -5}).unexplained, 0U);
    const ReturnsSeen some = seen({1, 2, 3, 4, -4, -3, 5, 6});
    EXPECT_EQ(some.policy, "never");
    ASSERT_EQ(some.runs.size(), 1U);
    EXPECT_TRUE(some.runs.begin()->second.newest);
    EXPECT_FALSE(some.runs.begin()->second.all);
}

std::vector<Event> run(uint32_t bytes, int32_t end, int refused) {
    return {{0, IfqRegistered{.ifq = 1, .queue = 1, .rq_entries = 4, .buffer_size = 4096}},
            {1, ConnectionOpened{.stream = 1}},
            {2, RequestSubmitted{.request = 1, .ifq = 1, .stream = 1}},
            {3, CqeSeen{.request = 1,
                        .ifq = 1,
                        .stream = 1,
                        .result = static_cast<int32_t>(bytes),
                        .flags = 2}},
            {4, CqeSeen{.request = 1, .ifq = 1, .stream = 1, .result = end}},
            {5, CallReturned{"call", 0, refused}}};
}

TEST(NotLists, NameTestsAndWhy) {
    EXPECT_FALSE(why_no_list("areas.dmabuf_with/offset").empty());
    EXPECT_TRUE(why_no_list("receive.one_byte").empty());
    for (const NotAList& row : not_lists()) {
        EXPECT_FALSE(row.why.empty()) << row.tests;
        EXPECT_NE(row.tests.find('.'), std::string_view::npos) << "a chapter, and tests of it";
    }
}

TEST(Outcomes, AreTheSameOrSayWhatIsNot) {
    const Outcome first = outcome_of(TestStatus::kPassed, run(100, 0, 0));
    EXPECT_TRUE(differences(first, outcome_of(TestStatus::kPassed, run(100, 0, 0))).empty());
    EXPECT_TRUE(differences(first, outcome_of(TestStatus::kPassed, run(100, 0, 0))).empty());
    EXPECT_EQ(differences(first, outcome_of(TestStatus::kFailed, run(100, 0, 0))).size(), 1U);
    EXPECT_EQ(differences(first, outcome_of(TestStatus::kPassed, run(99, 0, 0))).size(), 1U);
    EXPECT_EQ(differences(first, outcome_of(TestStatus::kPassed, run(100, -ECONNRESET, 0))).size(),
              1U);
    EXPECT_GE(differences(first, outcome_of(TestStatus::kPassed, run(100, 0, EINVAL))).size(), 1U);
    EXPECT_TRUE(differences(outcome_of(TestStatus::kKnown, {}), outcome_of(TestStatus::kFailed, {}))
                    .empty())
        << "a known issue is a failure with a name";
}

}  // namespace
}  // namespace zcrxlab
