// What is written to a tape comes back, also when the writer was killed or its entries are damaged.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "harness/trace/trace.hpp"
#include "scenarios/framework/tape.hpp"

namespace zcrxlab {
namespace {

std::vector<Event> one_of_each() {
    IfqRegistered ifq;
    ifq.interface = "eth1";
    ifq.queue = 3;
    AreaRegistered area;
    area.address = 0x7f0000000000;
    area.length = 8192;
    area.pages = {0x1000, 0x5000};
    CqeSeen good;
    good.request = 7;
    good.stream = 2;
    good.result = 1448;
    good.flags = 0x8002;
    good.offset = uint64_t{1} << 48 | 0x3000;
    good.padding = 1;
    good.big = true;
    good.position = uint64_t{5} << 32;
    CqeSeen bad = good;
    bad.mismatch = 17;
    bad.expected = 0xab;
    bad.seen = 0xcd;
    bad.result = -12;
    BufferReturned plain;
    plain.offset = 0x3000;
    plain.length = 1448;
    BufferReturned changed = plain;
    changed.changed = 9;
    BufferReturned wrongly = plain;
    wrongly.on_purpose = true;
    DmaWrites writes;
    writes.entries.resize(2);
    writes.entries[0].sequence = 1;
    writes.entries[0].address = 0x1000;
    writes.entries[0].kind = DmaKind::kPayload;
    writes.entries[1] = writes.entries[0];
    writes.entries[1].sequence = 2;
    writes.flows.resize(1);
    writes.flows[0].flow = 1;
    writes.flows[0].family = 4;
    writes.lost = 3;
    return {{1, ifq},     {2, area},
            {3, good},    {4, bad},
            {5, plain},   {6, changed},
            {7, writes},  {8, Note{"text with \"quotes\"\n"}},
            {9, wrongly}, {10, PeerSent{.stream = 3, .total = uint64_t{6} << 32}}};
}

std::vector<std::string> as_json(const std::vector<Event>& events) {
    std::vector<std::string> lines;
    for (const Event& event : events) lines.push_back(to_json(event));
    return lines;
}

TEST(Tape, EventsComeBackUnchanged) {
    Result<Tape> tape = Tape::create(1 << 20);
    ASSERT_TRUE(tape.ok());
    const std::vector<Event> events = one_of_each();
    for (const Event& event : events) tape->event(event);
    const ComplaintFacts facts{.kind = ComplaintKind::kStalled,
                               .subject = "s",
                               .functions = {"f"},
                               .seen = -5,
                               .posted = 3,
                               .length = 7,
                               .delivered = 8,
                               .data_waits = false,
                               .socket = "CLOSE"};
    tape->failure("it failed", facts);
    tape->skip("it could not");
    tape->measurement("{\"table\": \"speed\"}");
    tape->finished();
    const TapeContents contents = tape->read();
    EXPECT_EQ(as_json(contents.events), as_json(events));
    EXPECT_EQ(contents.failures, std::vector<std::string>{"it failed"});
    EXPECT_EQ(contents.failure_facts, std::vector<ComplaintFacts>{facts});
    EXPECT_EQ(contents.skips, std::vector<std::string>{"it could not"});
    EXPECT_EQ(contents.measurements, std::vector<std::string>{"{\"table\": \"speed\"}"});
    EXPECT_TRUE(contents.finished);
    EXPECT_EQ(contents.events_lost, 0U);
}

TEST(Tape, AKilledWriterLeavesWhatItWrote) {
    Result<Tape> tape = Tape::create(1 << 20);
    ASSERT_TRUE(tape.ok());
    const pid_t child = fork();
    if (child == 0) {
        Result<Tape> mine = Tape::open(dup(tape->fd()));
        mine->event({1, Note{"alive"}});
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    const TapeContents contents = tape->read();
    ASSERT_EQ(contents.events.size(), 1U);
    EXPECT_EQ(std::get<Note>(contents.events[0].body).text, "alive");
    EXPECT_FALSE(contents.finished);
}

TEST(Tape, TwoProcessesWriteSideBySide) {
    Result<Tape> tape = Tape::create(8U << 20);
    ASSERT_TRUE(tape.ok());
    constexpr int kEach = 5000;
    const pid_t child = fork();
    if (child == 0) {
        Result<Tape> mine = Tape::open(dup(tape->fd()));
        for (int i = 0; i < kEach; ++i) mine->event({1, PeerSent{.stream = 2, .total = 5}});
        _exit(0);
    }
    for (int i = 0; i < kEach; ++i) tape->event({1, PeerSent{.stream = 1, .total = 5}});
    waitpid(child, nullptr, 0);
    int of_each[2] = {};
    for (const Event& event : tape->read().events) {
        const auto* sent = std::get_if<PeerSent>(&event.body);
        ASSERT_NE(sent, nullptr);
        ASSERT_TRUE(sent->stream == 1 || sent->stream == 2);
        ++of_each[sent->stream - 1];
    }
    EXPECT_EQ(of_each[0], kEach);
    EXPECT_EQ(of_each[1], kEach);
}

TEST(Tape, AFullTapeCountsWhatItLostAndStillTakesFailures) {
    Result<Tape> tape = Tape::create(8192);
    ASSERT_TRUE(tape.ok());
    for (int i = 0; i < 1000; ++i) tape->event({1, CqeSeen{}});
    tape->failure("at the end");
    tape->finished();
    const TapeContents contents = tape->read();
    EXPECT_GT(contents.events.size(), 10U);
    EXPECT_EQ(contents.events.size() + contents.events_lost, 1000U);
    EXPECT_EQ(contents.failures.size(), 1U);
    EXPECT_TRUE(contents.finished);
}

// Whatever the child left: no crash, nothing read outside (AddressSanitizer would tell).
TEST(Tape, DamagedEntriesAreToldAndNotFollowed) {
    Result<Tape> tape = Tape::create(8192);
    ASSERT_TRUE(tape.ok());
    for (const Event& event : one_of_each()) tape->event(event);
    auto* bytes = static_cast<uint8_t*>(
        mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, tape->fd(), 0));
    ASSERT_NE(bytes, MAP_FAILED);
    const std::vector<uint8_t> good(bytes, bytes + 8192);
    for (size_t at = 0; at < 1500; ++at) {
        for (const uint8_t value : {0x00, 0x7f, 0xff}) {
            std::memcpy(bytes, good.data(), good.size());
            bytes[at] = value;
            const TapeContents contents = tape->read();
            EXPECT_LE(contents.events.size(), one_of_each().size());
        }
    }
    munmap(bytes, 8192);
}

TEST(Tape, IsNotOpenedOnNothing) {
    EXPECT_FALSE(Tape::open(-1).ok());
    EXPECT_FALSE(Tape::open(memfd_create("empty", 0)).ok());
}

}  // namespace
}  // namespace zcrxlab
