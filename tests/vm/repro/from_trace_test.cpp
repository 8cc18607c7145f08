// Lists from traces: what a run did, as actions.
#include <gtest/gtest.h>

#include "harness/trace/trace.hpp"
#include "vm/repro/from_trace.hpp"

namespace zcrxlab {
namespace {

constexpr uint32_t kMore = 2;

std::vector<Event> burst() {
    std::vector<Event> events;
    const auto add = [&](EventBody body) { events.push_back({events.size(), std::move(body)}); };
    add(Note{"for people"});
    add(IfqRegistered{.ifq = 1, .rq_entries = 4, .buffer_size = 4096, .mixed = true});
    add(AreaRegistered{.ifq = 1, .area = 0, .address = 4096, .length = 16384});
    add(ConnectionOpened{.stream = 7, .seed = 3, .family = 4});
    add(PeerSent{7, 1000});
    add(PeerSent{7, 60000});
    add(RequestSubmitted{.request = 9, .ifq = 1, .stream = 7});
    add(CqeSeen{.request = 9, .ifq = 1, .stream = 7, .result = 4096, .flags = kMore});
    add(CqeSeen{.request = 9, .ifq = 1, .stream = 7, .result = -ENOMEM});
    add(RequestSubmitted{.request = 10, .ifq = 1, .stream = 7});
    add(CqeSeen{.request = 10, .ifq = 1, .stream = 7, .result = 55904, .flags = kMore});
    add(PeerClosed{7, false});
    add(FaultInjected{R"({"what":"drop"})"});
    add(RingClosed{1});
    return events;
}

TEST(FromTrace, DoesAgainWhatWasDone) {
    const Result<ActionList> list = list_from_trace(burst());
    ASSERT_TRUE(list) << list.error().sentence;
    EXPECT_EQ(to_text(*list), R"(# made from a trace
ring r1 cqes=mixed
register q1 ring=r1 area=16KiB rq=4
connect s7 ifq=q1
send s7 bytes=60000
wait s7 queued=60000
arm s7
end s7
fault {"what":"drop"}
wait s7 bytes=60000
close r1
)");
    const Result<ActionList> again = actions_from_text(to_text(*list));
    ASSERT_TRUE(again) << again.error().sentence;
}

TEST(FromTrace, NeedsARegistration) {
    EXPECT_FALSE(list_from_trace({}));
    EXPECT_FALSE(list_from_trace({{0, RingClosed{1}}, {1, PeerSent{1, 5}}}));
}

TEST(FromTrace, ReadsTheTraceOfARun) {
    std::string text;
    for (const Event& event : burst()) {
        std::string line = to_json(event);
        line.insert(1, R"("test":"a.b",)");
        text += line + "\n";
    }
    const auto events = events_of_test(text, "a.b");
    ASSERT_TRUE(events) << events.error().sentence;
    EXPECT_EQ(events->size(), burst().size());
    EXPECT_TRUE(events_of_test(text, ""));
    const auto other = events_of_test(text, "a.c");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().sentence.find("a.b"), std::string::npos);
    EXPECT_FALSE(events_of_test(text + R"({"test":"c.d"})" + "\n", "c.d"));
    EXPECT_FALSE(events_of_test("[", ""));
}

}  // namespace
}  // namespace zcrxlab
