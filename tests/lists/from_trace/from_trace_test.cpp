// Lists from traces: what a run did, as actions.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/trace/event_fields.hpp"
#include "harness/trace/trace.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/verbs/row/row.hpp"

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
policy r1 returns=never
connect s7 ifq=q1
send s7 bytes=60000 cut=1000,59000
wait s7 queued=60000
arm s7
end s7
wait s7 bytes=60000
fault {"what":"drop"}
close r1
)");
    const Result<ActionList> again = actions_from_text(to_text(*list));
    ASSERT_TRUE(again) << again.error().sentence;
}

// The peer's thread notes what it has sent when its socket has taken it, and CQEs may be earlier.
TEST(FromTrace, SendsBeforeItWaits) {
    std::vector<Event> events;
    const auto add = [&](EventBody body) { events.push_back({events.size(), std::move(body)}); };
    add(IfqRegistered{.ifq = 1, .rq_entries = 4, .buffer_size = 4096});
    add(AreaRegistered{.ifq = 1, .area = 0, .address = 4096, .length = 16384});
    add(ConnectionOpened{.stream = 7, .seed = 3, .family = 4});
    add(RequestSubmitted{.request = 9, .ifq = 1, .stream = 7});
    add(CqeSeen{.request = 9, .ifq = 1, .stream = 7, .result = 1000, .flags = kMore});
    add(BufferReturned{.ifq = 1, .offset = 0, .length = 1000});
    add(CqeSeen{.request = 9, .ifq = 1, .stream = 7, .result = -ECANCELED});
    add(PeerSent{7, 1000});
    add(RingClosed{1});
    const Result<ActionList> list = list_from_trace(events);
    ASSERT_TRUE(list) << list.error().sentence;
    EXPECT_EQ(to_text(*list), R"(# made from a trace
ring r1
register q1 ring=r1 area=16KiB rq=4
connect s7 ifq=q1
arm s7
send s7 bytes=1000 cut=1000
wait s7 bytes=1000
cancel s7
close r1
)");
}

TEST(FromTrace, HasWhatEachEventSays) {
    std::vector<Event> events;
    uint32_t thread = 5;
    const auto add = [&](EventBody body) {
        events.push_back({events.size(), std::move(body), thread});
    };
    add(ActionDone{"nic mtu=9000"});
    add(IfqRegistered{.ifq = 1,
                      .interface = "eth0",
                      .queue = 2,
                      .rq_entries = 64,
                      .buffer_size = 8192,
                      .ring = 9,
                      .sq_entries = 128,
                      .cq_entries = 4096,
                      .rq_of_kernel = true,
                      .events = 2,
                      .statistics = true});
    add(AreaRegistered{.ifq = 1, .area = 0, .length = 4U << 20, .memory = "huge"});
    add(IfqRegistered{.ifq = 2, .rq_entries = 4, .buffer_size = 4096, .ring = 9});
    add(AreaRegistered{.ifq = 2, .area = 0, .length = 16384});
    add(ActionDone{"connect s1 ifq=q1 route=loopback"});
    add(ConnectionOpened{.stream = 1, .family = 6, .mss = 900, .receive_buffer = 65536});
    add(RequestSubmitted{.request = 1, .ifq = 1, .stream = 1, .limit = 100, .poll_first = true});
    thread = 6;
    add(PeerSent{1, 500});
    thread = 5;
    add(CqeSeen{.request = 1, .ifq = 1, .stream = 1, .result = 100, .flags = kMore, .offset = 0});
    add(BufferReturned{.ifq = 1, .offset = 0, .length = 100});
    add(CqeSeen{.request = 1, .ifq = 1, .stream = 1, .result = -ENOSPC});
    add(BufferReturned{.ifq = 1, .offset = uint64_t{77} << 48, .on_purpose = true});
    add(BufferReturned{.ifq = 1, .offset = uint64_t{77} << 48, .on_purpose = true});
    thread = 8;
    add(IfqRegistered{.ifq = 3, .rq_entries = 4, .buffer_size = 4096, .ring = 11});
    add(AreaRegistered{.ifq = 3, .area = 0, .length = 4096});
    add(CapacityMeasured{.ifq = 3});
    add(RingClosed{3});
    thread = 5;
    add(ActionDone{"# something else"});
    add(ActionDone{"close r1"});
    add(RingClosed{2});
    const Result<ActionList> list = list_from_trace(events);
    ASSERT_TRUE(list) << list.error().sentence;
    EXPECT_EQ(to_text(*list), R"(# made from a trace
# not in here: something else
nic mtu=9000
ring r1 sq=128 cq=4KiB
policy r1 rearm=no
register q1 ring=r1 device=yes queue=2 area=4MiB memory=huge rq=64 rq_memory=kernel rx_buf_len=8KiB events=copy stats=yes
register q2 ring=r1 area=16KiB rq=4
connect s1 ifq=q1 route=loopback family=6 mss=900 receive_buffer=64KiB
arm s1 limit=100 poll_first=yes
send s1 bytes=500 cut=500
wait s1 bytes=100 final=ENOSPC
return q1 count=2 as=bad_area
thread t8
t8: ring r3
t8: register q3 ring=r3 area=4KiB rq=4
t8: capacity q3
t8: close r3
close r1
)");
    EXPECT_TRUE(actions_from_text(to_text(*list)));
}

// With every kind of event that makes a verb; what is added comes before the rings are closed.
std::vector<Event> all_kinds(const std::vector<std::string>& noted = {}) {
    std::vector<Event> events;
    uint32_t thread = 5;
    const auto add = [&](EventBody body) {
        events.push_back({events.size(), std::move(body), thread});
    };
    add(IfqRegistered{.ifq = 1, .rq_entries = 64, .buffer_size = 4096, .ring = 9, .events = 2});
    add(AreaRegistered{.ifq = 1, .area = 0, .length = 1U << 20});
    add(AreaRegistered{.ifq = 1, .area = 1, .length = 1U << 20});
    add(ConnectionOpened{.stream = 7, .family = 4});
    add(PeerSent{7, 8192});
    add(RequestSubmitted{.request = 1, .ifq = 1, .stream = 7});
    add(CqeSeen{.request = 1, .ifq = 1, .stream = 7, .result = 4096, .flags = kMore});
    add(CqeSeen{.request = 1, .ifq = 1, .stream = 7, .result = -ENOSPC});
    add(RequestSubmitted{.request = 2, .ifq = 1, .stream = 7});
    add(CqeSeen{.request = 2, .ifq = 1, .stream = 7, .result = 4096, .flags = kMore});
    add(CqeSeen{.request = 2, .ifq = 1, .stream = 7, .result = -ECANCELED});
    add(BufferReturned{.ifq = 1, .offset = uint64_t{77} << 48, .on_purpose = true});
    add(ActionDone{"events q1 arm=copy"});
    add(FaultInjected{R"({"what":"drop"})"});
    add(CapacityMeasured{.ifq = 1});
    add(PeerClosed{7, false});
    thread = 6;
    add(IfqRegistered{.ifq = 3, .rq_entries = 4, .buffer_size = 4096, .ring = 11});
    add(AreaRegistered{.ifq = 3, .area = 0, .length = 4096});
    add(RingClosed{3});
    thread = 5;
    for (const std::string& line : noted) add(ActionDone{line});
    add(RingClosed{1});
    return events;
}

size_t count_of(Verb verb, const std::vector<Event>& events) {
    const Result<ActionList> list = list_from_trace(events);
    if (!list) return 0;
    return static_cast<size_t>(std::ranges::count(list->actions, verb, &Action::verb));
}

// What a verb's row says of its events: with them it is in the list, and not without them.
TEST(FromTrace, MakesTheVerbsThatSaySo) {
    for (const VerbForm& form : verb_forms()) {
        const FromTrace* trace = row_of(form.verb).from_trace.how();
        // A line that scenarios note is tried below.
        const bool only_noted = trace == nullptr || trace->events.empty();
        if (only_noted) {
            const bool also_here = form.verb == Verb::kEvents;  // it makes "await"
            EXPECT_EQ(count_of(form.verb, all_kinds()), also_here ? 1U : 0U) << form.word;
            continue;
        }
        EXPECT_GT(count_of(form.verb, all_kinds()), 0U) << form.word;
        std::vector<Event> without = all_kinds();
        std::erase_if(without, [&](const Event& event) {
            return std::visit(
                [&]<typename Body>(const Body&) {
                    return has_word(trace->events, kEventName<Body>);
                },
                event.body);
        });
        EXPECT_EQ(count_of(form.verb, without), 0U) << form.word << " without " << trace->events;
    }
}

// An action of each verb, with what it needs.
std::string example_of(const VerbForm& form) {
    constexpr std::string_view kNames[] = {"", "r1", "q1", "s7", "b", "p", "t6"};
    std::string line(form.word);
    if (form.subject != Thing::kNothing)
        line +=
            form.makes ? " fresh" : " " + std::string(kNames[static_cast<size_t>(form.subject)]);
    if (form.text) line += R"( {"what":"drop"})";
    for (const Parameter& parameter : form.parameters) {
        if (!parameter.required) continue;
        line += " " + std::string(parameter.name) + "=";
        if (parameter.kind == ValueKind::kName)
            line += kNames[static_cast<size_t>(parameter.thing)];
        else
            line += parameter.kind == ValueKind::kWord ? words_of(parameter).front() : "1";
    }
    return line;
}

// What a scenario notes is taken if the verb's row says that scenarios note it.
TEST(FromTrace, TakesTheNotesOfTheVerbsThatSaySo) {
    for (const VerbForm& form : verb_forms()) {
        const std::string line = example_of(form);
        const std::vector<Event> events = all_kinds({"export b ifq=q1", line});
        const FromTrace* trace = row_of(form.verb).from_trace.how();
        const Result<ActionList> list = list_from_trace(events);
        ASSERT_TRUE(list) << form.word << ": " << list.error().sentence;
        const bool taken = std::ranges::any_of(
            list->actions, [&](const Action& action) { return to_text(action) == line; });
        const bool had = count_of(form.verb, all_kinds({"export b ifq=q1"})) > 0;
        if (trace != nullptr && trace->noted) {
            EXPECT_TRUE(taken) << line;
            continue;
        }
        EXPECT_TRUE(had || !taken) << line;
        // Of a connection its route is taken.
        if (form.verb == Verb::kConnect) continue;
        EXPECT_TRUE(std::ranges::any_of(list->comments,
                                        [&](const std::string& comment) {
                                            return comment.starts_with(std::string(kNotInHere) +
                                                                       "\"" + line + "\": ");
                                        }))
            << line << "\n"
            << to_text(*list);
    }
}

TEST(FromTrace, OfAListIsThatList) {
    const std::vector<Event> events = {
        {1, ActionDone{"ring r", true}},
        {2, IfqRegistered{.ifq = 1}},
        {3, ActionDone{"nic mtu=9000", false}},
        {4, ActionDone{"register q ring=r", true}},
    };
    const Result<ActionList> list = list_from_trace(events);
    ASSERT_TRUE(list) << list.error().sentence;
    EXPECT_EQ(to_text(*list), "# made from a trace\nring r\nregister q ring=r\n");
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
