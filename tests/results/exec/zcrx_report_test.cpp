// The kernel's histograms are read, added up, judged and put into words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "results/exec/kernel_histogram.hpp"
#include "results/exec/zcrx_expectation.hpp"
#include "results/exec/zcrx_report.hpp"
#include "results/exec/zcrx_report_text.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kHistogram =
    "# event histogram\n"
    "# trigger info: hist:keys=common_pid.execname,ifq,ok:vals=hitcount,len [active]\n"
    "{ common_pid: my, serv: er [x] [       113], ifq: 18446620000000000001, ok:          1 } "
    "hitcount:         46  len:    1572864\n"
    "{ common_pid: zcrx            [       114], ret: 18446744073709551604 } hitcount:          2\n"
    "{ nothing } hitcount: 1\n"
    "{ pid: 1 } len: 1\n"
    "Totals:\n    Hits: 144\n    Entries: 2\n    Dropped: 3\n";

TEST(KernelHistogram, IsReadAsTheKernelPrintsIt) {
    const auto rows = parse_histograms(kHistogram);
    ASSERT_EQ(rows.size(), 2U);
    const auto task = parse_task(rows[0].keys.at("common_pid"));
    ASSERT_TRUE(task);
    EXPECT_EQ(task->pid, 113);
    EXPECT_EQ(rows[0].number("ok"), 1);
    EXPECT_TRUE(rows[0].number("ifq"));
    EXPECT_EQ(rows[0].value("len"), 1572864U);
    EXPECT_EQ(rows[1].number("ret"), -12);
    EXPECT_EQ(rows[1].value("hitcount"), 2U);
    EXPECT_EQ(dropped_hits(kHistogram), 3U);
    EXPECT_FALSE(parse_task("nobody"));
}

using Json = nlohmann::json;

// Ports 50000 -> 8080 as skc_portpair has them.
constexpr uint32_t kPorts = 8080U << 16 | (50000U & 0xff) << 8 | 50000U >> 8;

std::string line(const std::string& keys, const std::string& values) {
    return "{ " + keys + " } " + values + "\n";
}

// A server that received 4000 bytes in 4 pieces, 40 of them copied.
Json counts() {
    const std::string task = "common_pid: server [ 7], ";
    const std::string ports = "ports: " + std::to_string(kPorts);
    return {{"register", line(task + "ctx: 5, ret: 0", "hitcount: 1")},
            {"piece", line(task + "ifq: 9, ok: 1", "hitcount: 4 len: 4000") +
                          line(task + "ifq: 9, ok: 0", "hitcount: 2 len: 100")},
            {"copy", line(task + "file: 3", "hitcount: 1 ret: 40")},
            {"receive", line("file: 3, " + ports, "hitcount: 5") +
                            line("ctx: 5, ifq: 9, queue: 2", "hitcount: 5")},
            {"packet", line(task + ports + ", mapping: 3", "hitcount: 4 ret: 4000") +
                           line(ports, "hitcount: 4 all: 4000 paged: 3970")},
            {"buffers",
             line("ifq: 9", "hitcount: 2 more: 126") + line("ifq: 9, ret: 0", "hitcount: 6")},
            {"returned", line("ifq: 9", "hitcount: 3 refs: 3")},
            {"closed", line("ifq: 9, tail: 3", "hitcount: 2")}};
}

ZcrxReport report_of(const Json& counts, const Json& failed = Json::object(),
                     const Json& missed = Json::object()) {
    ZcrxReport report;
    report.program(
        Json{{"event", "zcrx"}, {"counts", counts}, {"failed", failed}, {"missed", missed}}.dump());
    return report;
}

bool says(const std::vector<std::string>& lines, std::string_view text) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(ZcrxReport, TellsCopiesFromZeroCopyAndSaysWhy) {
    ZcrxReport report = report_of(counts());
    report.counters(R"({"ok":true,"ports":[{"rx0_packets":1,"rx1_packets":9,"rx1_split":8,
                       "rx1_no_buffer":4},{}]})");
    EXPECT_EQ(report.bytes(), 4000U);
    EXPECT_EQ(report.copied(), 40U);
    ASSERT_TRUE(report.zero_copy_percent());
    EXPECT_DOUBLE_EQ(*report.zero_copy_percent(), 99.0);
    EXPECT_EQ(report.reasons().not_split, 30U);
    EXPECT_EQ(report.reasons().other, 10U);
    EXPECT_EQ(report.cq_full(), 2U);
    EXPECT_EQ(report.starved(), 6U);
    EXPECT_EQ(report.lost(), 4U);
    EXPECT_EQ(report.kept(report.queues().at(9)), 1U);
    ASSERT_EQ(report.connections().size(), 1U);
    EXPECT_EQ(report.connections()[0].local_port, 8080);
    EXPECT_EQ(report.connections()[0].remote_port, 50000);
    EXPECT_EQ(report.connections()[0].copied, 40U);
    EXPECT_EQ(report.queues().at(9).buffers, 128U);
    const auto lines = in_words(report, 8);
    EXPECT_TRUE(says(lines, "server (7) received 4000 bytes in 4 pieces. 3960 of them (99.00 %)"));
    EXPECT_TRUE(says(lines, "50000 -> 8080: 4000 bytes through queue 2, 40 copied"));
    EXPECT_EQ(report.to_json()["rings"][0]["queue"], 2);
}

TEST(ZcrxReport, DataOfAnotherQueueIsCopiedForThatReason) {
    Json other = counts();
    other["packet"] = line("common_pid: server [ 7], ports: 1, mapping: 1", "hitcount: 1 ret: 35") +
                      line("ports: 1", "hitcount: 1 all: 35 paged: 0");
    other["receive"] = line("file: 3, ports: 1", "hitcount: 1");
    EXPECT_EQ(report_of(other).reasons().other_queue, 35U);
    EXPECT_EQ(report_of(other).reasons().not_split, 0U);
}

TEST(ZcrxReport, APacketInsideAnotherOneIsNoConnection) {
    Json inside = counts();
    inside["packet"] =
        inside["packet"].get<std::string>() +
        line("common_pid: server [ 7], ports: 99, mapping: 4", "hitcount: 1 ret: 80532");
    EXPECT_EQ(report_of(inside).connections().size(), report_of(counts()).connections().size());
}

TEST(ZcrxReport, WhatASocketHadWhenItWasResetIsItsConnections) {
    Json reset = counts();
    const std::string ports = "ports: " + std::to_string(kPorts & 0xffff);
    reset["packet"] =
        reset["packet"].get<std::string>() +
        line("common_pid: server [ 7], " + ports + ", mapping: 3", "hitcount: 1 ret: 500");
    reset["receive"] =
        reset["receive"].get<std::string>() + line("file: 3, " + ports, "hitcount: 1");
    const ZcrxReport report = report_of(reset);
    ASSERT_EQ(report.connections().size(), 1U);
    EXPECT_EQ(report.connections()[0].local_port, 8080);
    EXPECT_EQ(report.connections()[0].bytes, 4500U);
    EXPECT_EQ(report.connections()[0].copied, 40U);
}

TEST(ZcrxReport, WhatWasMissedIsNotCertain) {
    const ZcrxReport buffers = report_of(counts(), Json::object(), {{"buffers", 30}});
    EXPECT_TRUE(buffers.zero_copy_percent());
    EXPECT_TRUE(says(in_words(buffers, 8), "30 events were missed of what buffers the NIC got"));
    ZcrxExpectation expected;
    ASSERT_TRUE(add_expectation(expected, "starved=10"));
    EXPECT_TRUE(disappointments(expected, report_of(counts())).empty());
    EXPECT_EQ(disappointments(expected, buffers).size(), 1U);
    const ZcrxReport copies = report_of(counts(), Json::object(), {{"copy", 1}});
    EXPECT_FALSE(copies.zero_copy_percent());
    EXPECT_TRUE(copies.knows("copy"));
}

TEST(ZcrxReport, AFileThatWasTwoConnectionsSaysOfNeitherWhatWasCopied) {
    Json two = counts();
    two["receive"] = two["receive"].get<std::string>() + line("file: 3, ports: 77", "hitcount: 1");
    EXPECT_FALSE(report_of(two).connections()[0].copied);
}

// File 3 is one connection, on which so many requests ended so and so many were armed.
Json with_requests(int code, unsigned ended, unsigned armed) {
    Json all = counts();
    all["result"] = line("file: 3, ret: " + std::to_string(static_cast<uint64_t>(int64_t{code})),
                         "hitcount: " + std::to_string(ended));
    all["armed"] = line("file: 3", "hitcount: " + std::to_string(armed));
    return all;
}

TEST(ZcrxReport, TellsRequestsThatWereArmedAgainFromThoseThatWereNot) {
    const auto not_armed_again = [](const ZcrxReport& report) {
        EXPECT_EQ(report.files().at(3).remote_ports, std::set<uint16_t>{50000});
        return report.not_armed_again(report.files().at(3));
    };
    EXPECT_EQ(not_armed_again(report_of(with_requests(-ENOSPC, 2, 3))), false);
    EXPECT_EQ(not_armed_again(report_of(with_requests(-ENOSPC, 2, 2))), true);
    EXPECT_EQ(not_armed_again(report_of(with_requests(-ENOMEM, 1, 1))), true);
    EXPECT_TRUE(says(in_words(report_of(with_requests(-ENOSPC, 2, 2)), 8),
                     "Not armed again: 1 connections (from port 50000) have a request that ended"));
    EXPECT_FALSE(says(in_words(report_of(with_requests(-ENOSPC, 2, 3)), 8), "Not armed again"));
    // With this one the stream is over.
    EXPECT_EQ(not_armed_again(report_of(with_requests(-ECONNRESET, 1, 1))), false);
    // Another connection whose file has the same address wants a request, too.
    Json two = with_requests(-ENOSPC, 1, 2);
    EXPECT_EQ(not_armed_again(report_of(two)), false);
    two["receive"] = two["receive"].get<std::string>() + line("file: 3, ports: 77", "hitcount: 1");
    const ZcrxReport both = report_of(two);
    EXPECT_EQ(both.not_armed_again(both.files().at(3)), true);
    // What was missed may have been the one.
    EXPECT_EQ(
        not_armed_again(report_of(with_requests(-ENOSPC, 2, 2), Json::object(), {{"armed", 1}})),
        std::nullopt);
    EXPECT_EQ(not_armed_again(report_of(with_requests(-ENOSPC, 2, 2), {{"armed", "none such"}})),
              std::nullopt);
}

TEST(ZcrxReport, WhatAKernelCannotCountIsNotKnown) {
    const ZcrxReport report = report_of(counts(), {{"copy", "no such function"}});
    EXPECT_FALSE(report.zero_copy_percent());
    EXPECT_TRUE(says(in_words(report, 8), "no such function"));
    EXPECT_TRUE(says(in_words(ZcrxReport(), 8), "not known"));
}

TEST(ZcrxReport, FollowsWhatIsOut) {
    ZcrxReport report;
    for (int pieces : {3, 900, 4}) {
        const int returned = pieces == 900 ? 100 : pieces;
        report.program(
            Json{{"event", "zcrx-time"},
                 {"seconds", 0.5},
                 {"counts",
                  {{"piece", line("common_pid: a [ 7], ifq: 9, ok: 1",
                                  "hitcount: " + std::to_string(pieces) + " len: 10")},
                   {"returned", line("ifq: 9", "hitcount: 1 refs: " + std::to_string(returned))}}}}
                .dump());
    }
    EXPECT_EQ(report.moments().size(), 3U);
    EXPECT_EQ(report.moments()[1].pieces, 900U);
    EXPECT_EQ(report.moments()[1].returned, 100U);
}

TEST(ZcrxReport, WhatTheKernelHasNotTakenBackYetWasGivenBackAllTheSame) {
    Json all = counts();
    all["closed"] = line("ifq: 9, tail: 2", "hitcount: 1") + line("ifq: 9, tail: 4", "hitcount: 1");
    const ZcrxReport report = report_of(all);
    EXPECT_EQ(report.kept(report.queues().at(9)), 0U);
    EXPECT_TRUE(says(in_words(report, 8), "4 pieces for the program, all given back;"));
    EXPECT_TRUE(says(in_words(report, 8), "6 times there was no buffer for the NIC: all were full"))
        << "a program that gives all back is not accused";
    EXPECT_TRUE(says(in_words(report_of(counts()), 8), "3 given back and 1 never"));
    EXPECT_TRUE(says(in_words(report_of(counts()), 8), "it never gave 1 pieces back"));
}

// A report of a queue whose area the kernel told of.
Json with_area(unsigned out_at_most) {
    Json all = counts();
    all["area"] = line("ifq: 9", "hitcount: 20 max: " + std::to_string(out_at_most) + " all: 4096");
    all["opened"] = line("ifq: 9, all: 4096, free: 3072", "hitcount: 1") +
                    line("ifq: 77, all: 5, free: 3", "hitcount: 1");
    all["control"] = "";
    return all;
}

TEST(ZcrxReport, SaysWhetherTheAreaIsTooLargeOrTooSmall) {
    const ZcrxReport plenty = report_of(with_area(1334));
    EXPECT_EQ(plenty.to_spare(plenty.queues().at(9)), 2762U);
    EXPECT_EQ(plenty.to_json()["rings"][0]["out_at_opening"], 1024);
    EXPECT_EQ(plenty.queues().size(), 1U) << "a queue that was opened for other memory";
    EXPECT_TRUE(says(in_words(plenty, 8),
                     "  Of its area's 4096 buffers the driver posted 1024 when the queue was "
                     "opened, at most 1334 were out at once, and 2762 were to spare."));
    EXPECT_TRUE(says(in_words(report_of(with_area(4096)), 8),
                     "at most 4096 were out at once, and none was left."));
}

// Connections are spread by the ports of their clients, so that a queue may get none of them.
TEST(ZcrxReport, NamesAQueueThroughWhichNothingCame) {
    Json all = counts();
    all["buffers"] = line("ifq: 8", "hitcount: 16 more: 1008");
    all["bound"] =
        line("ifq: 8, queue: 3", "hitcount: 1") + line("ifq: 77, queue: 5", "hitcount: 1");
    const ZcrxReport report = report_of(all);
    EXPECT_EQ(report.queues().at(8).number, 3);
    EXPECT_FALSE(report.queues().contains(77)) << "a queue that was bound to other memory";
    EXPECT_TRUE(says(in_words(report, 8), "Queue 3: 0 pieces for the program"));
}

TEST(ZcrxReport, WhatAnAreaNeededIsNotKnownByHalf) {
    const auto spare = [](const ZcrxReport& report) {
        EXPECT_TRUE(says(in_words(report, 8), "How much of its area it needed is not known."));
        return report.to_spare(report.queues().at(9));
    };
    EXPECT_FALSE(spare(report_of(counts(), {{"area", "no such struct"}})));
    EXPECT_FALSE(spare(report_of(with_area(1334), Json::object(), {{"area", 1}})));
    Json second_area = with_area(1334);
    second_area["control"] = line("ctx: 5", "hitcount: 1");
    EXPECT_FALSE(spare(report_of(second_area)));
    Json unopened = with_area(1334);
    unopened.erase("opened");
    EXPECT_TRUE(spare(report_of(unopened))) << "what was out is known all the same";
}

TEST(ZcrxReport, SaysWhyEntriesOfTheRefillRingDidNothing) {
    Json all = counts();
    all["closed"] = line("ifq: 9, tail: 90, head: 80", "hitcount: 1");
    all["refill"] = line("ifq: 9", "hitcount: 4") + "\tmax: 70 tail: 71\n";
    all["sizes"] = line("ctx: 5, entries: 64, area: 4096", "hitcount: 1");
    const ZcrxReport report = report_of(all);
    EXPECT_TRUE(says(in_words(report, 8),
                     "  Of its entries in the refill ring 77 named an area or a buffer that is not "
                     "there, 86 gave back what it did not hold, 6 were overwritten before"));
    EXPECT_EQ(report.to_json()["rings"][0]["refused"],
              (Json{{"unreadable", 77}, {"not_held", 86}, {"overwritten", 6}}));
    EXPECT_FALSE(says(in_words(report_of(counts()), 8), "Of its entries in the refill ring"));
    const ZcrxReport unknown =
        report_of(all, {{"returned", "no such function"}, {"refill", "none"}}, {{"piece", 1}});
    EXPECT_FALSE(says(in_words(unknown, 8), "Of its entries in the refill ring"));
    EXPECT_EQ(unknown.to_json()["rings"][0]["refused"],
              (Json{{"unreadable", nullptr}, {"not_held", nullptr}, {"overwritten", nullptr}}));
}

TEST(ZcrxReport, ACountThatMayBeShortSaysSo) {
    const ZcrxReport report = report_of(counts(), Json::object(), {{"piece", 92}, {"buffers", 1}});
    EXPECT_FALSE(report.kept(report.queues().at(9)));
    EXPECT_TRUE(says(in_words(report, 8), "at least 4 pieces for the program, 3 given back;"));
    EXPECT_TRUE(says(in_words(report, 8), "at least 6 times"));
    EXPECT_FALSE(says(in_words(report, 8), "given back and"));
    Json open = counts();
    open.erase("closed");
    EXPECT_TRUE(says(in_words(report_of(open), 8), "how many it gave back is not known"));
    EXPECT_TRUE(says(in_words(report_of(open), 8), "who had them then is not known"));
}

TEST(ZcrxExpectation, IsJudged) {
    const ZcrxReport report = report_of(counts());
    const auto unlike = [&](const std::string& text) {
        ZcrxExpectation expected;
        const auto added = add_expectation(expected, text);
        EXPECT_TRUE(added) << text;
        return disappointments(expected, report).size();
    };
    for (const char* met : {"zero-copy=99%", "bytes=4000", "copied=40", "starved=6", "cq-full=2",
                            "errors=0", "left-behind=0"})
        EXPECT_EQ(unlike(met), 0U) << met;
    for (const char* unmet :
         {"zero-copy=99.5%", "bytes=4001", "copied=39", "starved=5", "cq-full=1", "lost=0"})
        EXPECT_EQ(unlike(unmet), 1U) << unmet;
    ZcrxExpectation expected;
    ASSERT_TRUE(add_expectation(expected, "zero-copy=1%"));
    ASSERT_TRUE(add_expectation(expected, "errors=0"));
    EXPECT_EQ(disappointments(expected, ZcrxReport()).size(), 2U) << "not measured is no success";
    for (const char* wrong : {"zero-copy", "zero-copy=99", "zero-copy=101%", "bytes=1%", "bytes=x",
                              "zero-copy=nan%", "speed=1", "bytes=-1", "errors="})
        EXPECT_FALSE(add_expectation(expected, wrong)) << wrong;
}

}  // namespace
}  // namespace zcrxlab
