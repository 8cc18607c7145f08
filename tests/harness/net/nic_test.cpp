// Undoing changes, comparing snapshots, reading counters.
#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "harness/net/counters.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

using Lines = std::vector<std::string>;

TEST(UndoStack, UndoesInReverseOrder) {
    Lines done;
    {
        UndoStack undo;
        undo.push("a", [&] {
            done.push_back("a");
            return Result<void>();
        });
        undo.push("b", [&] {
            done.push_back("b");
            return Result<void>();
        });
        EXPECT_EQ(undo.size(), 2U);
    }
    EXPECT_EQ(done, (Lines{"b", "a"}));
}

TEST(UndoStack, GoesOnAfterAFailureAndTellsIt) {
    Lines done;
    UndoStack undo;
    undo.push("a", [&] {
        done.push_back("a");
        return Result<void>();
    });
    undo.push("the rings", [] { return Result<void>(Error{EBUSY, "busy"}); });
    const auto failed = undo.run();
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].code, EBUSY);
    EXPECT_EQ(failed[0].sentence, "undo the rings: busy");
    EXPECT_EQ(done, (Lines{"a"}));
    EXPECT_TRUE(undo.run().empty());
}

TEST(UndoStack, AMovedOneUndoesOnce) {
    int done = 0;
    UndoStack first;
    first.push("a", [&] {
        ++done;
        return Result<void>();
    });
    UndoStack second = std::move(first);
    EXPECT_TRUE(first.run().empty());  // NOLINT(bugprone-use-after-move): this is what is tested
    EXPECT_EQ(done, 0);
    second = UndoStack();
    EXPECT_EQ(done, 1);
}

TEST(UndoStack, TheNewestCanStay) {
    Lines done;
    UndoStack undo;
    undo.push("a", [&] {
        done.push_back("a");
        return Result<void>();
    });
    undo.push("b", [&] {
        done.push_back("b");
        return Result<void>();
    });
    undo.dismiss_newest();
    undo.run();
    EXPECT_EQ(done, (Lines{"a"}));
}

TEST(Difference, OfEqualSnapshotsIsEmpty) {
    const Lines lines = {"a: 1", "b: 2", "b: 2"};
    EXPECT_TRUE(difference(lines, lines).empty());
}

TEST(Difference, ShowsWhatWentAndWhatCame) {
    EXPECT_EQ(difference({"a: 1", "b: 2"}, {"a: 1", "b: 3", "c: 4"}),
              (Lines{"- b: 2", "+ b: 3", "+ c: 4"}));
    EXPECT_EQ(difference({"rule"}, {"rule", "rule"}).size(), 2U);
    EXPECT_EQ(difference({"rule"}, {}), (Lines{"- rule"}));
}

TEST(FlowSteering, AnUnknownInterfaceIsNamed) {
    auto steering = FlowSteering::open("nosuch0");
    ASSERT_TRUE(steering);
    const auto capacity = steering->capacity();
    ASSERT_FALSE(capacity);
    EXPECT_NE(capacity.error().sentence.find("nosuch0"), std::string::npos);
    EXPECT_EQ(FlowSteering::open("a-name-that-is-much-too-long").error().code, ENODEV);
}

TEST(FlowSteering, ARuleWithAWrongAddressIsRefusedBeforeTheKernelSeesIt) {
    FlowRule rule;
    rule.destination = "fd00::1";
    EXPECT_EQ(to_flow_spec(rule).error().code, EINVAL);
    rule.family = 6;
    EXPECT_TRUE(to_flow_spec(rule));
}

TEST(FlowRule, SomeBitsOfAPortCanDecide) {
    FlowRule rule;
    rule.source_port = 0xfff2;
    rule.source_port_bits = 0x0006;
    const auto spec = to_flow_spec(rule);
    ASSERT_TRUE(spec);
    EXPECT_EQ(ntohs(spec->h_u.tcp_ip4_spec.psrc), 0x0002);
    EXPECT_EQ(ntohs(spec->m_u.tcp_ip4_spec.psrc), 0x0006);
    EXPECT_EQ(spec->m_u.tcp_ip4_spec.pdst, 0);
}

TEST(FlowRule, AContextStandsInPlaceOfAQueue) {
    FlowRule rule;
    rule.queue = 3;
    rule.context = 1;
    const auto spec = to_flow_spec(rule);
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->flow_type, static_cast<uint32_t>(TCP_V4_FLOW | FLOW_RSS));
    EXPECT_EQ(spec->ring_cookie, 0U) << "an offset to each queue of the table";
}

TEST(FlowSteering, ARuleBecomesKeyAndMask) {
    FlowRule rule;
    rule.destination = "192.0.2.1";
    rule.destination_port = 0x1234;
    rule.queue = 3;
    const auto spec = to_flow_spec(rule);
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->flow_type, static_cast<uint32_t>(TCP_V4_FLOW));
    EXPECT_EQ(spec->ring_cookie, 3U);
    const auto& key = spec->h_u.tcp_ip4_spec;
    const auto& mask = spec->m_u.tcp_ip4_spec;
    const uint8_t address[] = {192, 0, 2, 1};
    EXPECT_EQ(std::memcmp(&key.ip4dst, address, 4), 0);
    EXPECT_EQ(mask.ip4dst, 0xffffffffU);
    EXPECT_EQ(key.ip4src, 0U);
    EXPECT_EQ(mask.ip4src, 0U);
    const uint8_t port[] = {0x12, 0x34};
    EXPECT_EQ(std::memcmp(&key.pdst, port, 2), 0);
    EXPECT_EQ(mask.pdst, 0xffff);
    EXPECT_EQ(mask.psrc, 0);
}

TEST(Counters, LinesOfNamesAndValues) {
    const auto values = parse_name_values(
        "nr_free_pages 12\nnr_foll_pin_acquired 300\nnonsense\n"
        "text word\nnegative -5\nlast 7");
    EXPECT_EQ(values.at("nr_free_pages"), 12);
    EXPECT_EQ(values.at("nr_foll_pin_acquired"), 300);
    EXPECT_EQ(values.at("negative"), -5);
    EXPECT_EQ(values.at("last"), 7);
    EXPECT_EQ(values.size(), 4U);
}

TEST(Counters, KilobytesOfTheStatusFile) {
    const char* status = "Name:\tx\nVmPin:\t      16 kB\nVmLck:\t       0 kB\nVmPinX:\t9 kB\n";
    EXPECT_EQ(parse_status_kb(status, "VmPin"), 16);
    EXPECT_EQ(parse_status_kb(status, "VmLck"), 0);
    EXPECT_FALSE(parse_status_kb(status, "Name"));
    EXPECT_FALSE(parse_status_kb(status, "VmRSS"));
    EXPECT_FALSE(parse_status_kb("VmPin:", "VmPin"));
    EXPECT_FALSE(parse_status_kb("VmPin", "VmPin"));
}

}  // namespace
}  // namespace zcrxlab
