// Events as JSON and as sentences: nothing is lost on the way, and what is wrong is named.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "harness/trace/event_fields.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// One event of each kind, with values that a careless conversion would change.
std::vector<Event> one_of_each() {
    DmaLogEntry entry{};
    entry.sequence = kMost;
    entry.address = 0xfedcba9876543210U;
    entry.packet = 3U;
    entry.length = 4096U;
    entry.flow = 1U;
    entry.tcp_sequence = 0xffffffffU;
    entry.fault = 7U;
    entry.queue = uint16_t{15};
    entry.port = 1;
    entry.kind = DmaKind::kUnsplit;
    entry.payload_offset = 66U;
    entry.written = 0xfffffffeU;
    entry.posted = 1U;
    DmaLogFlow flow{};
    flow.flow = 1U;
    flow.initial_sequence = 0x80000000U;
    flow.source[0] = 255;
    flow.destination[15] = 1;
    flow.source_port = uint16_t{65535};
    flow.destination_port = uint16_t{1};
    flow.family = 6;
    flow.has_syn = 1;
    CqeSeen cqe{.request = kMost,
                .ifq = 1,
                .stream = 2,
                .result = -105,
                .flags = 0x8002,
                .offset = 1ULL << 48,
                .padding = 5,
                .big = true,
                .position = 1ULL << 40,
                .mismatch = kMost,
                .expected = 255,
                .seen = 1};
    CqeSeen plain{.request = 1, .result = 1};
    return {
        {1, IfqRegistered{.ifq = 1,
                          .interface = "eth0",
                          .queue = 3,
                          .rq_entries = 8,
                          .buffer_size = 4096,
                          .zcrx_id = 2,
                          .zero_copy_expected = false,
                          .mixed = true,
                          .ring = 7,
                          .sq_entries = 64,
                          .cq_entries = 128,
                          .rq_of_kernel = true,
                          .events = 3,
                          .statistics = true}},
        {2, AreaRegistered{.ifq = 1,
                           .area = 2,
                           .address = kMost,
                           .length = 8192,
                           .pages = {0x1000, kMost},
                           .memory = "huge_memfd"}},
        {3, ConnectionOpened{.stream = 9,
                             .seed = kMost,
                             .family = 6,
                             .source_port = 65535,
                             .destination_port = 1,
                             .mss = 900,
                             .receive_buffer = 1,
                             .send_buffer = 2}},
        {4, PeerSent{.stream = 9, .total = kMost}, 4194304},
        {5, PeerClosed{.stream = 9, .reset = true}},
        {6, RequestSubmitted{.request = kMost, .ifq = 1, .stream = 2, .limit = 4294967295U}},
        {7, cqe},
        {8, plain},
        {9,
         BufferReturned{.ifq = 1, .offset = 4096, .length = 5, .changed = 0, .on_purpose = true}},
        {10, DmaWrites{.entries = {entry, entry}, .flows = {flow}, .lost = 4}},
        {11, FaultInjected{.rule = R"({"what":"drop"})"}},
        {12, KernelMessage{.level = 0, .text = "line\nwith \"quotes\" and \x01"}},
        {13, CapacityMeasured{.ifq = 1, .total = 256, .distinct = 255, .handed_twice = 1}},
        {14, ProviderReleased{.interface = "eth0",
                              .queue = 3,
                              .released = true,
                              .milliseconds = 1.25,
                              .bound_milliseconds = 100}},
        {15, CounterCompared{.name = "pins",
                             .before = -5,
                             .after = std::numeric_limits<int64_t>::min(),
                             .allowed = 3}},
        {16, NicCompared{.interface = "eth0", .before = {"a", ""}, .after = {}}},
        {17, CallReturned{.call = "register", .expected = 22, .seen = 0}},
        {18, StreamFinished{.stream = 9, .complete = false}},
        {19, Note{.text = "a note"}},
        {22, ActionDone{.action = "ring r", .of_list = true}},
        {20, RingClosed{.ifq = 1, .interrupted = true, .ring = 7, .ifq_lives_on = true}},
        {28, HeldCompared{.ifq = 1, .cqes = 9, .changed = kMost, .stream = 2, .offset = kMost}},
        {29, RefillRead{.ifq = 1, .entries = 4294967295U}},
        {30, EndMeant{.stream = 2, .result = -14, .cause = "a buffer of another ifq"}},
        {23, OtherSubmitted{.ring = 5, .request = kMost, .operation = "cancel", .target = 3}},
        {24, OtherCqeSeen{.ring = 5,
                          .request = kMost,
                          .result = -2,
                          .flags = 2,
                          .offset = kMost,
                          .padding = 1,
                          .big = true}},
        {25, CqFull{.ring = 5, .overflowed = true}},
        {26, CqRead{.ring = 5, .lost = kMost, .overruns = 2}},
        {27, CqMayOverflow{.ring = 5}},
        {31, CountAsked{}},
        {32, BuffersNotCounted{.ifq = 1, .why = Uncounted::kMemoryTaken}},
        {33, CopiesNotTold{.ifq = 1, .why = CopiesUnknown::kList}},
        {34, ForbiddenAsked{.number = kMost,
                            .port = 1,
                            .kind = "dma",
                            .queue = "transmit queue 3",
                            .descriptor = 17,
                            .address = kMost,
                            .what = "a buffer"}},
        {35, ForbiddenAsked{.number = 1, .kind = "register"}},
        {36, DriverWatched{.by_device = false, .lost = kMost}},
        {kMost, CopiesExpected{.ifq = 1, .bytes = 17, .undecided = 3}},
        {21,
         QueueCounted{.ifq = 2, .interface = "eth0", .queue = 3, .packets = kMost, .bytes = kMost}},
        {31, CounterCompared{.name = "pins", .before = 5, .unread = "no such file"}},
        {32, ProviderReleased{.interface = "eth0", .queue = 3, .unknown = "no answer"}},
    };
}

// Traces from before rows had times, and events their thread.
TEST(EventJson, OlderTracesAreRead) {
    const auto log = event_from_json(
        R"({"t":1,"event":"DmaWrites","entries":[[1,4096,3,4,5,6,7,8,0,1,0]],"flows":[],"lost":0})");
    ASSERT_TRUE(log.ok()) << log.error().sentence;
    EXPECT_EQ(log->thread, 0U);
    const DmaLogEntry& entry = std::get<DmaWrites>(log->body).entries.at(0);
    EXPECT_EQ(entry.address, 4096U);
    EXPECT_EQ(entry.written, 0U);
    EXPECT_EQ(entry.posted, 0U);
    const auto area = event_from_json(
        R"({"t":1,"event":"AreaRegistered","ifq":1,"area":0,"address":4096,"length":1,"pages":[]})");
    ASSERT_TRUE(area.ok()) << area.error().sentence;
    EXPECT_EQ(std::get<AreaRegistered>(area->body).memory, "anonymous");
}

std::string error_of(std::string_view line) {
    const auto event = event_from_json(line);
    if (event.ok()) return "accepted";
    EXPECT_EQ(event.error().code, EINVAL);
    return event.error().sentence;
}

TEST(EventJson, EveryKindSurvivesTheWayThroughJson) {
    const auto events = one_of_each();
    std::vector<bool> covered(std::variant_size_v<EventBody>);
    for (const Event& event : events) {
        covered[event.body.index()] = true;
        const std::string line = to_json(event);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        const auto back = event_from_json(line);
        ASSERT_TRUE(back.ok()) << back.error().sentence << "\n" << line;
        EXPECT_EQ(back->nanoseconds, event.nanoseconds);
        EXPECT_EQ(back->body.index(), event.body.index()) << line;
        EXPECT_EQ(to_json(*back), line);
    }
    for (size_t kind = 0; kind < covered.size(); ++kind)
        EXPECT_TRUE(covered[kind]) << "no example of alternative " << kind;
}

TEST(EventJson, ValuesAreExact) {
    const auto events = one_of_each();
    const auto cqe = event_from_json(to_json(events[6]));
    ASSERT_TRUE(cqe.ok());
    const auto& seen = std::get<CqeSeen>(cqe->body);
    EXPECT_EQ(seen.request, kMost);
    EXPECT_EQ(seen.result, -105);
    EXPECT_EQ(seen.mismatch, kMost);
    EXPECT_EQ(seen.offset, 1ULL << 48);
    EXPECT_TRUE(seen.big);
    EXPECT_FALSE(std::get<CqeSeen>(event_from_json(to_json(events[7]))->body).mismatch);

    const auto log = event_from_json(to_json(events[9]));
    ASSERT_TRUE(log.ok());
    const auto& writes = std::get<DmaWrites>(log->body);
    ASSERT_EQ(writes.entries.size(), 2U);
    EXPECT_EQ(writes.entries[1].address, 0xfedcba9876543210U);
    EXPECT_EQ(writes.entries[1].kind, DmaKind::kUnsplit);
    EXPECT_EQ(writes.entries[1].payload_offset, 66U);
    EXPECT_EQ(writes.entries[1].written, 0xfffffffeU);
    EXPECT_EQ(writes.entries[1].posted, 1U);
    ASSERT_EQ(writes.flows.size(), 1U);
    EXPECT_EQ(writes.flows[0].source_port, 65535);
    EXPECT_EQ(writes.flows[0].destination[15], 1);
}

TEST(EventJson, InvalidUtf8DoesNotBreakTheLine) {
    const std::string line = to_json({1, Note{.text = "bad \xff\xfe bytes"}});
    EXPECT_TRUE(event_from_json(line).ok()) << line;
}

TEST(EventJson, TextComesBackByteForByte) {
    std::string all;
    for (char c = 0; c < 0x7f; ++c) all += c;
    for (const std::string& text : {all, std::string(), std::string("\""), std::string("\\"),
                                    std::string("\x7f"), std::string("\u00e4")}) {
        const auto back = event_from_json(to_json({1, Note{.text = text}}));
        ASSERT_TRUE(back.ok()) << text;
        EXPECT_EQ(std::get<Note>(back->body).text, text);
    }
}

TEST(EventJson, IsTheTextThatIsExpected) {
    EXPECT_EQ(to_json({7, BufferReturned{.ifq = 1, .offset = 4096, .length = 8}}),
              R"({"t":7,"event":"BufferReturned","ifq":1,"offset":4096,"length":8,"changed":null,)"
              R"("on_purpose":false})");
    EXPECT_EQ(to_json({7, CallReturned{.call = "a", .expected = -2147483647, .seen = 0}}),
              R"({"t":7,"event":"CallReturned","call":"a","expected":-2147483647,"seen":0})");
    EXPECT_EQ(to_json({7, DmaWrites{}}),
              R"({"t":7,"event":"DmaWrites","entries":[],"flows":[],"lost":0})");
    EXPECT_EQ(to_json({7, NicCompared{.interface = "e", .before = {}, .after = {"a", "b"}}}),
              R"({"t":7,"event":"NicCompared","interface":"e","before":[],"after":["a","b"]})");
}

TEST(EventJson, WhatIsWrongIsNamed) {
    EXPECT_EQ(error_of("{"), "an event of the trace is not JSON");
    EXPECT_EQ(error_of("[]"), "an event of the trace is not an object");
    EXPECT_EQ(error_of("{}"), "an event of the trace lacks the field 't'");
    EXPECT_EQ(error_of(R"({"t":1})"), "an event of the trace lacks the field 'event'");
    EXPECT_EQ(error_of(R"({"t":1,"event":"Nothing"})"),
              "an event of the trace is of the unknown kind 'Nothing' (Nothing)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"CopiesNotTold","ifq":1,"why":"because"})"),
              "an event of the trace has a field 'why' that is the unknown reason 'because' "
              "(CopiesNotTold)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"PeerSent","stream":1})"),
              "an event of the trace lacks the field 'total' (PeerSent)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"PeerSent","stream":-1,"total":1})"),
              "an event of the trace has a field 'stream' that is not a whole number of 0 or more "
              "(PeerSent)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"PeerSent","stream":4294967296,"total":1})"),
              "an event of the trace has a field 'stream' that is 4294967296, more than 4294967295 "
              "(PeerSent)");
    EXPECT_EQ(
        error_of(R"({"t":1,"event":"CallReturned","call":"x","expected":2147483648,"seen":0})"),
        "an event of the trace has a field 'expected' that is out of range (CallReturned)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"DmaWrites","entries":[[1]],"flows":[],"lost":0})"),
              "an event of the trace has a field 'entries' that has an item 0 that is not a row of "
              "13 numbers (DmaWrites)");
    EXPECT_EQ(
        error_of(
            R"({"t":1,"event":"DmaWrites","entries":[[1,1,1,1,1,1,1,1,1,9,1]],"flows":[],"lost":0})"),
        "an event of the trace has a field 'entries' that has an item 0 that has the unknown kind "
        "9 "
        "(DmaWrites)");
    EXPECT_EQ(error_of(R"({"t":1,"event":"StreamFinished","stream":1,"complete":1})"),
              "an event of the trace has a field 'complete' that is not true or false "
              "(StreamFinished)");
}

TEST(EventJson, UnknownFieldsAreLeftAlone) {
    EXPECT_EQ(error_of(R"({"t":1,"event":"Note","text":"x","later":[1]})"), "accepted");
}

TEST(EventJson, EveryMissingFieldIsAnError) {
    for (const Event& event : one_of_each()) {
        const std::string line = to_json(event);
        // Renaming one key at a time makes its field missing.
        for (size_t at = line.find("\":"); at != std::string::npos; at = line.find("\":", at + 1)) {
            if (line[at - 1] == '\\') continue;                      // inside a string
            if (line.substr(0, at).ends_with("\"thread")) continue;  // may be missing
            std::string mutated = line;
            mutated.insert(at, "_");
            // Traces from before there was such a field lack it.
            const std::string key = line.substr(0, at);
            EXPECT_EQ(event_from_json(mutated).ok(),
                      may_be_missing(std::string_view(key).substr(key.rfind('"') + 1)))
                << mutated;
        }
    }
}

TEST(Describe, SaysWhatHappened) {
    const auto events = one_of_each();
    for (const Event& event : events) EXPECT_FALSE(describe(event).empty());
    EXPECT_EQ(describe(events[6]),
              "request 18446744073709551615 (stream 2, ifq 1) completed with -ENOBUFS, flags "
              "0x8002, padding 0x5; at position 18446744073709551615 is 0x1 in place of 0xff");
    EXPECT_EQ(describe(events[16]), "register returned success, promised is EINVAL");
    EXPECT_EQ(describe(events[13]), "the provider left eth0 queue 3 after 1.2 ms");
}

TEST(Trace, TakesEventsFromThreadsInOrderOfTime) {
    Trace trace;
    size_t forwarded = 0;
    trace.forward_to([&](const Event&) { ++forwarded; });
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) trace.add(Note{.text = "x"});
        });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(trace.events().size(), 400U);
    EXPECT_EQ(forwarded, 400U);
    for (size_t i = 1; i < trace.events().size(); ++i)
        EXPECT_LE(trace.events()[i - 1].nanoseconds, trace.events()[i].nanoseconds);
}

// A change is made, then told: what is read counts each change that was told before.
TEST(Trace, WhatIsReadCountsEachChangeThatWasToldBefore) {
    Trace trace;
    std::atomic<uint32_t> entries{0};
    std::thread changing([&] {
        while (entries < 20'000) {
            ++entries;
            trace.add(BufferReturned{.ifq = 1});
        }
    });
    while (entries < 20'000)
        trace.add_read([&] { return RefillRead{.ifq = 1, .entries = entries}; });
    changing.join();
    uint32_t told = 0, read = 0;
    for (const Event& event : trace.events()) {
        if (std::holds_alternative<BufferReturned>(event.body)) {
            ++told;
        } else {
            ++read;
            ASSERT_GE(std::get<RefillRead>(event.body).entries, told);
        }
    }
    EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace zcrxlab
