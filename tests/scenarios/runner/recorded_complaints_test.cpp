// The findings themselves, on complaints as they were recorded: each is known where its defect is,
// and nowhere else.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "tests/scenarios/runner/judged.hpp"

namespace zcrxlab {
namespace {

using enum ComplaintKind;

TestStatus on(std::string_view release, std::string_view test, const Seen& seen,
              std::string_view target = "gve") {
    return judged(test, seen, issues_in(known_issues(), release, target), target).status;
}

Seen said_by_the_kernel(const char* line) {
    const std::vector<Event> events = {{1, KernelMessage{4, line}}};
    return {.violations = check_kernel_log(events), .events = events};
}

constexpr const char* kOfQueueZero =
    "[   12.345678] WARNING: net/core/dev.h:398 at page_pool_disable_direct_recycling+0x5e/0x70, "
    "CPU#0: zcrx-scenarios/183";

TEST(Findings, AReportThatNamesTheAdminQueueIsNotALostOne) {
    const Seen kasan = said_by_the_kernel(
        "[    9.000001] [  T88] BUG: KASAN: slab-use-after-free in gve_adminq_issue_cmd+0x1/0x2");
    const Seen warning = said_by_the_kernel(
        "WARNING: CPU: 0 PID: 1 at gve_adminq.c:1 gve_adminq_alloc+0x1/0x2 [gve]");
    for (const char* test : {"teardown.removal/driver_unbound", "device.reset", "receive.one_byte"})
        for (const Seen& seen : {kasan, warning}) {
            ASSERT_EQ(seen.violations.size(), 1U);
            EXPECT_EQ(on("7.3.4", test, seen), TestStatus::kFailed) << test;
        }
}

TEST(Findings, AWarningIsKnownInItsFunctionAndItsScenarioOnly) {
    EXPECT_EQ(on("7.3.4", "registration.queue_zero", said_by_the_kernel(kOfQueueZero)),
              TestStatus::kKnown);
    // Another form of the line, of kernels before 7.
    EXPECT_EQ(on("6.18.15", "registration.queue_zero",
                 said_by_the_kernel("[    1.000000] WARNING: CPU: 0 PID: 287 at net/core/dev.h:355 "
                                    "page_pool_disable_direct_recycling+0x5e/0x70")),
              TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", "receive.one_byte", said_by_the_kernel(kOfQueueZero)),
              TestStatus::kFailed);
    EXPECT_EQ(on("7.3.4", "registration.queue_zero",
                 said_by_the_kernel("BUG: KASAN: slab-use-after-free in "
                                    "page_pool_disable_direct_recycling+0x5e/0x70")),
              TestStatus::kFailed);
}

TEST(Findings, APacketThatWaitsIsOfTheDriverThatRestarts) {
    const std::string_view test = "device.sent_during_restart";
    const Seen waits{{check("To the peer: Datagram 0 came only behind another one.")}};
    EXPECT_EQ(on("7.3.4", test, waits, "bnxt"), TestStatus::kKnown);
    EXPECT_EQ(on("7.2.11", test, waits, "gve"), TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", test, waits, "gve"), TestStatus::kFailed);
    const Seen lost{{check("To the peer: Datagram 0 did not arrive from byte 0 on.")}};
    EXPECT_EQ(on("7.3.4", test, lost, "bnxt"), TestStatus::kFailed);
}

const ComplaintFacts kStarves{
    .kind = kNotEmptied, .buffers = 1536, .held = 1338, .posted = 1, .posted_when_polled = 192};

TEST(Findings, AQueueWithoutBuffersBlocksOnlyWhereItIs) {
    const Seen seen{{kStarves}, false};
    EXPECT_EQ(on("6.18.15", "teardown.close/idle_request", seen), TestStatus::kBlocked);
    EXPECT_EQ(on("7.1.5", "teardown.close/idle_request", seen), TestStatus::kBlocked);
    EXPECT_EQ(on("7.1.6", "teardown.close/idle_request", seen), TestStatus::kFailed);
    EXPECT_EQ(on("7.3.4", "teardown.close/idle_request", seen), TestStatus::kFailed);
    ComplaintFacts with_buffers = kStarves;
    with_buffers.posted = 17;
    EXPECT_EQ(on("6.18.15", "teardown.close/idle_request", {{with_buffers}, false}),
              TestStatus::kFailed);
    with_buffers.posted = std::nullopt;
    EXPECT_EQ(on("6.18.15", "teardown.close/idle_request", {{with_buffers}, false}),
              TestStatus::kFailed);
    // It came to its end, so that nothing stood in its way.
    EXPECT_EQ(on("6.18.15", "teardown.close/idle_request", {{kStarves}, true}),
              TestStatus::kFailed);
}

TEST(Findings, BuffersThatAreLostAreNotThoseThatADriverHasNotAskedFor) {
    ComplaintFacts late = kStarves;
    late.kind = kTimedOut;
    late.held = 0;
    EXPECT_EQ(on("6.18.15", "exhaustion.all_held", {{late}, false}), TestStatus::kKnown);
    EXPECT_EQ(on("6.18.15", "device.rings/64", {{late}, false}), TestStatus::kBlocked);
    EXPECT_EQ(on("7.1.6", "device.rings/64", {{late}, false}), TestStatus::kFailed);
    EXPECT_EQ(on("6.18.15", "bench.receivers/large_writes", {{late}, false}), TestStatus::kFailed);
    for (const std::optional<int64_t> polled : {std::optional<int64_t>(1), {}}) {
        ComplaintFacts lost = late;
        lost.posted_when_polled = polled;
        for (const char* test : {"exhaustion.all_held", "device.rings/64"})
            EXPECT_EQ(on("6.18.15", test, {{lost}, false}), TestStatus::kFailed) << test;
        lost.kind = kNotEmptied;
        EXPECT_EQ(on("6.18.15", "device.rings/64", {{lost}, false}), TestStatus::kFailed);
    }
}

TEST(Findings, ALostWakeUpIsKnownInItsScenariosOnly) {
    const ComplaintFacts stalled{.kind = kStalled,
                                 .sent = 60000,
                                 .received = 1976,
                                 .posted = 993,
                                 .data_waits = true,
                                 .socket = "ESTABLISHED POLLIN"};
    const Seen seen{{stalled}, false};
    EXPECT_EQ(on("7.2.9", "cqe32.burst_then_silence/1_entry", seen), TestStatus::kKnown);
    EXPECT_EQ(on("7.2.9", "copy_fallback.small_cq", seen), TestStatus::kBlocked);
    EXPECT_EQ(on("7.2.9", "receive.one_byte", seen), TestStatus::kFailed);
    EXPECT_EQ(on("7.2.10", "cqe32.burst_then_silence/1_entry", seen), TestStatus::kFailed);
}

TEST(Findings, AConnectionAfterAResetIsBlockedWhereThePacketIsStranded) {
    const ComplaintFacts timeout{.kind = kNotConnected, .posted = 900, .not_left = 2};
    EXPECT_EQ(on("7.2.12", "device.reset", {{timeout}, false}), TestStatus::kBlocked);
    EXPECT_EQ(on("7.3.4", "device.reset", {{timeout}, false}), TestStatus::kFailed);
    EXPECT_EQ(on("7.2.12", "device.mtu/1280", {{timeout}, false}), TestStatus::kFailed);
    // Nothing could come back through a queue without buffers.
    ComplaintFacts other = timeout;
    other.posted = 0;
    EXPECT_EQ(on("7.2.12", "device.reset", {{other}, false}), TestStatus::kFailed);
    // It left, and was lost on its way or never answered.
    for (const std::optional<int64_t> not_left : {std::optional<int64_t>(0), {}}) {
        other = timeout;
        other.not_left = not_left;
        EXPECT_EQ(on("7.2.12", "device.reset", {{other}, false}), TestStatus::kFailed);
    }
}

TEST(Findings, AnAreaThatIsAllPostedIsKnownByWhatKernelAndDriverCount) {
    const auto with = [](int64_t received, std::optional<int64_t> in_flight,
                         std::optional<int64_t> not_replaced) {
        const ComplaintFacts facts{.kind = kTimedOut,
                                   .received = received,
                                   .in_flight = in_flight,
                                   .not_replaced = not_replaced};
        return on("7.3.4", "exhaustion.area_all_posted", {{facts}, false});
    };
    EXPECT_EQ(with(0, 256, 3), TestStatus::kKnown);
    EXPECT_EQ(with(1448, 256, 3), TestStatus::kFailed);
    // The driver has not got them, or dropped for another cause.
    for (const std::optional<int64_t> in_flight : {std::optional<int64_t>(199), {}})
        EXPECT_EQ(with(0, in_flight, 3), TestStatus::kFailed);
    for (const std::optional<int64_t> not_replaced : {std::optional<int64_t>(0), {}})
        EXPECT_EQ(with(0, 256, not_replaced), TestStatus::kFailed);
}

TEST(Findings, AnErrnoIsKnownForItsCallOnly) {
    const auto returned = [](const char* call, int seen) {
        const std::vector<Event> events = {{1, CallReturned{call, EINVAL, seen}}};
        return Seen{.violations = check_errors(events), .events = events};
    };
    const char* const call = "an import with buffer_length";
    EXPECT_EQ(on("7.3.4", "control.import_with/buffer_length", returned(call, 0)),
              TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", "control.import_with/buffer_length", returned(call, EBUSY)),
              TestStatus::kFailed);
    EXPECT_EQ(on("7.3.4", "control.import_with/buffer_length", returned("another call", 0)),
              TestStatus::kFailed);
}

TEST(Findings, AStreamIsCutAtItsByteOnly) {
    const auto cut = [](uint64_t received) {
        CqeSeen cqe;
        cqe.stream = 1;
        cqe.result = static_cast<int32_t>(received);
        const std::vector<Event> events = {
            {1, PeerSent{1, 3000}}, {2, cqe}, {3, StreamFinished{1}}};
        return Seen{.violations = {{Invariant::kI1, 2, "cut"}}, .events = events};
    };
    EXPECT_EQ(on("7.3.4", "tcp.urgent", cut(1499)), TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", "tcp.urgent", cut(1498)), TestStatus::kFailed);
}

// Of a request with a length that got one byte more, and what else is said of it.
Seen behind_length(uint64_t length, const std::vector<std::string>& others = {},
                   const std::vector<ComplaintFacts>& failures = {}) {
    Seen seen{failures, true, {}, {{1, CqeSeen{}}}};
    seen.violations.push_back(
        {Invariant::kI2, 0, "it got one more", BehindLength{length, length + 1}});
    for (const std::string& other : others) seen.violations.push_back({Invariant::kI2, 0, other});
    return seen;
}

TEST(Findings, MoreThanTheLengthIsKnownByItsLength) {
    const char* const test = "cqe32.limit/64_kib";
    for (const char* release : {"6.15.1", "6.16.12+deb13-amd64", "6.17.2"})
        EXPECT_EQ(on(release, test, behind_length(65536)), TestStatus::kKnown) << release;
    for (const char* release : {"6.17.3", "6.18", "7.3.4"})
        EXPECT_EQ(on(release, test, behind_length(65536)), TestStatus::kFailed) << release;
    const ComplaintFacts fewer = check("The stream did not take a request for each length.");
    EXPECT_EQ(on("6.16.12", test, behind_length(65536, {}, {fewer})), TestStatus::kKnown);
    EXPECT_EQ(on("6.16.12", test, {{fewer}}), TestStatus::kFailed);
    EXPECT_EQ(on("6.16.12", test, behind_length(65537)), TestStatus::kFailed);
    EXPECT_EQ(on("6.16.12", "receive.one_byte", behind_length(65536)), TestStatus::kFailed);
}

TEST(Findings, AnotherComplaintAboutTheSameCqeIsNotMoreThanTheLength) {
    const char* const test = "cqe32.limit/64_kib";
    EXPECT_EQ(on("6.16.12", test, behind_length(65536, {"its flags are wrong"})),
              TestStatus::kFailed);
    Seen other = behind_length(65536, {"its flags are wrong"});
    other.violations.erase(other.violations.begin());
    EXPECT_EQ(on("6.16.12", test, other), TestStatus::kFailed);
    EXPECT_EQ(on("6.16.12", test, behind_length(65536, {}, {check("a wrong byte")})),
              TestStatus::kFailed);
}

// Of a stream that got what was put into memory for another one, and what else is said of that CQE.
Seen of_another_stream(const About& whose, const std::vector<std::string>& others = {}) {
    Seen seen{{{.kind = kWrongByte}}, true, {}, {{1, CqeSeen{}}}};
    seen.violations.push_back({Invariant::kI1, 0, "it has 0x1c", WrongByte{2, 0}});
    seen.violations.push_back({Invariant::kI4, 0, "it was not put there", whose});
    for (const std::string& other : others) seen.violations.push_back({Invariant::kI1, 0, other});
    return seen;
}

TEST(Findings, HeadersOfAnotherPacketAreKnownByWhoseTheBytesAre) {
    const char* const test = "header_split.overtaken";
    const Seen seen = of_another_stream(OfAnotherStream{2, 1});
    for (const char* release : {"6.18.15", "6.18.39", "6.19.6", "7.0.4", "7.1.4"})
        EXPECT_EQ(on(release, test, seen), TestStatus::kKnown) << release;
    for (const char* release : {"6.18.40", "7.1.5", "7.2.12", "7.3.4"})
        EXPECT_EQ(on(release, test, seen), TestStatus::kFailed) << release;
    EXPECT_EQ(on("6.18.15", "header_split.empty_buffer", seen), TestStatus::kFailed);
    EXPECT_EQ(on("6.18.15", test, of_another_stream({})), TestStatus::kFailed);
    EXPECT_EQ(on("6.18.15", test, of_another_stream(OfAnotherStream{2, 1}, {"it came again"})),
              TestStatus::kFailed);
    EXPECT_EQ(on("6.18.15", test, {{{.kind = kTimedOut}}}), TestStatus::kFailed);
}

TEST(Findings, HalfOfTheLastLargeCqeIsKnownByItsPosition) {
    const char* const test = "cqe32.resized/cqe32";
    const auto seen_at = [](uint64_t position) {
        Seen seen{{{.kind = kWrongByte}}, true, {}, {{1, CqeSeen{}}, {2, OtherCqeSeen{}}}};
        seen.violations.push_back({Invariant::kI1, 0, "it has 0x00", WrongByte{1, position}});
        seen.violations.push_back({Invariant::kI4, 0, "not put there", WrongPlace{1, position}});
        seen.violations.push_back({Invariant::kI2, 1, "nothing belongs to it"});
        return seen;
    };
    EXPECT_EQ(on("6.19.11", test, seen_at(18948)), TestStatus::kKnown);
    EXPECT_EQ(on("6.19.11", test, seen_at(18947)), TestStatus::kFailed);
    EXPECT_EQ(on("7.0.4", test, seen_at(18948)), TestStatus::kFailed);
    Seen other = seen_at(18948);
    other.violations.push_back({Invariant::kI4, 0, "another one was not put there"});
    EXPECT_EQ(on("6.19.11", test, other), TestStatus::kFailed);
}

Seen doorbells_of(const std::vector<std::string>& rings) {
    Seen seen{{}, true, {}, {}};
    for (const std::string& ring : rings) {
        ForbiddenAsked asked;
        asked.queue = ring;
        asked.what = "its doorbell was rung, and it is not there";
        seen.violations.push_back({Invariant::kI10, seen.events.size(), "the driver asked"});
        seen.events.push_back({1, asked});
    }
    return seen;
}

TEST(Findings, OnePollRingsSeveralRingsThatAreFreed) {
    const char* const test = "refill.wrap/8_entries";
    EXPECT_EQ(on("7.3.4", test, doorbells_of({"receive ring 1"})), TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", test, doorbells_of({"receive ring 1", "aggregation ring 1"})),
              TestStatus::kKnown);
    EXPECT_EQ(on("7.3.4", test, doorbells_of({"receive ring 1", "transmit ring 1"})),
              TestStatus::kFailed);
}

TEST(KnownIssues, WhatADriverMustNotAskIsAFact) {
    ForbiddenAsked asked;
    asked.queue = "receive ring 11";
    asked.what = "its doorbell was rung, and it is not there";
    const std::vector<Event> events = {{1, Note{"before"}}, {2, asked}};
    const ComplaintFacts facts = facts_of({Invariant::kI10, 1, "the driver asked"}, events);
    EXPECT_EQ(facts.kind, kForbidden);
    EXPECT_TRUE(matches({.kind = kForbidden,
                         .subject = "receive ring #: its doorbell was rung, and it is not there"},
                        facts));
    EXPECT_FALSE(matches({.kind = kForbidden,
                          .subject = "transmit ring #: its doorbell was rung, and it is not there"},
                         facts));
    EXPECT_EQ(facts_from_json(to_json(facts)), facts);
}

}  // namespace
}  // namespace zcrxlab
