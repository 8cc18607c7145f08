// Netlink messages byte by byte: what is sent, and what becomes of malformed answers.
#include <gtest/gtest.h>
#include <linux/netlink.h>

#include "harness/net/netlink_message.hpp"
#include "tests/harness/net/hex.hpp"

namespace zcrxlab {
namespace {

// Recorded: the acknowledgement of a request with sequence 5.
constexpr const char* kAck =
    "240000000200000105000000ba1a66f70000000024000000150005000500000000000000";
// Recorded: ETHTOOL_MSG_RINGS_SET with an Rx ring of 2^31 is refused in words.
constexpr const char* kRefused =
    "540000000200000305000000d99d00eeeaffffff2c0000001500050005000000000000002800010072657175"
    "65737465642072696e672073697a652065786365656473206d6178696d756d000800020024000000";

TEST(NetlinkRequest, HasHeaderAndPaddedAttributes) {
    NetlinkRequest request(0x15, NLM_F_ACK);
    request.set_sequence(5);
    request.put_u8(1, 2).put_u32(3, 0x11223344).put_string(4, "eth0").put_flag(5);
    EXPECT_EQ(to_hex(request.bytes()),
              "3000000015000500"  // 48 bytes, type 0x15, request and acknowledge
              "0500000000000000"
              "0500010002000000"  // one byte, padded
              "0800030044332211"  // a number
              "0900040065746830"  // a string with its final 0, padded
              "00000000"
              "04000500");  // a flag
}

TEST(NetlinkRequest, GenericHeaderComesFirst) {
    auto request = NetlinkRequest::generic(0x14, 10, 1, NLM_F_DUMP);
    request.put_u32(2, 2);
    EXPECT_EQ(to_hex(request.bytes()), "1c0000001400010300000000000000000a0100000800020002000000");
}

TEST(NetlinkRequest, NestsCloseInOrder) {
    NetlinkRequest request(1, 0);
    request.begin(7).begin(8).put_flag(9).end().end().put_flag(10);
    EXPECT_EQ(to_hex(request.bytes()).substr(32),
              "0c000780"  // 12 bytes, nested 7
              "08000880"  // 8 bytes, nested 8
              "04000900"
              "04000a00");
}

TEST(NetlinkRequest, KeepsWorkingAfterItWasMoved) {
    NetlinkRequest first(1, 0);
    first.begin(7);
    NetlinkRequest second = std::move(first);
    second.put_flag(8).end();
    EXPECT_EQ(to_hex(second.bytes()).substr(32), "0800078004000800");
}

TEST(NetlinkRequest, OneThatIsTooLargeIsEmpty) {
    NetlinkRequest request(1, 0);
    const std::vector<std::byte> large(60000);
    request.put(1, large);
    EXPECT_TRUE(request.bytes().empty());
    NetlinkRequest nested(1, 0);
    for (int i = 0; i < 10000; ++i) nested.begin(1);
    for (int i = 0; i < 10000; ++i) nested.end();
    EXPECT_TRUE(nested.bytes().empty());
}

TEST(ParseAttributes, GivesTypesWithoutTheirBits) {
    const auto bytes = from_hex(
        "0800078001020304"
        "0500094007000000");
    const auto attributes = parse_attributes(bytes);
    ASSERT_TRUE(attributes);
    ASSERT_EQ(attributes->size(), 2U);
    EXPECT_EQ((*attributes)[0].type, 7);
    EXPECT_EQ((*attributes)[1].type, 9);
    EXPECT_EQ((*attributes)[1].u8().value(), 7);
    EXPECT_EQ(find_attribute(*attributes, 9), &(*attributes)[1]);
    EXPECT_EQ(find_attribute(*attributes, 8), nullptr);
}

TEST(ParseAttributes, LastOneNeedsNoPadding) {
    const auto attributes = parse_attributes(from_hex("0500010007"));
    ASSERT_TRUE(attributes);
    EXPECT_EQ(attributes->size(), 1U);
}

TEST(ParseAttributes, RefusesLengthsThatDoNotFit) {
    for (const char* wrong : {"00000100",            // shorter than its own header
                              "03000100",            // the same
                              "0900010001020304",    // longer than what is there
                              "ffff010001020304",    //
                              "080001",              // not even a header
                              "0800010001020304ff",  // one byte left over
                              "08000100010203040700020001"}) {
        const auto attributes = parse_attributes(from_hex(wrong));
        ASSERT_FALSE(attributes) << wrong;
        EXPECT_EQ(attributes.error().code, EBADMSG);
    }
}

TEST(NetlinkAttribute, NumbersMustHaveTheirSize) {
    const auto bytes = from_hex("01020304050607");
    const auto of = [&bytes](size_t size) {
        return NetlinkAttribute{1, std::span(bytes).first(size)};
    };
    EXPECT_EQ(of(4).u32().value(), 0x04030201U);
    EXPECT_FALSE(of(3).u32());
    EXPECT_FALSE(of(5).u32());
    EXPECT_FALSE(of(0).u8());
    EXPECT_FALSE(of(2).u8());
    EXPECT_EQ(of(4).number().value(), 0x04030201U);
    EXPECT_FALSE(of(6).number());
    EXPECT_FALSE(of(7).array_u32());
    EXPECT_EQ(of(4).array_u32().value().size(), 1U);
    EXPECT_TRUE(of(0).array_u32().value().empty());
}

TEST(NetlinkAttribute, StringsMustEnd) {
    const auto bytes = from_hex("65746800ff");
    EXPECT_EQ((NetlinkAttribute{1, std::span(bytes).first(4)}.string().value()), "eth");
    EXPECT_EQ((NetlinkAttribute{1, bytes}.string().value()), "eth");
    EXPECT_FALSE((NetlinkAttribute{1, std::span(bytes).first(3)}.string()));
    EXPECT_FALSE((NetlinkAttribute{1, {}}.string()));
}

TEST(ParseDatagram, AnAcknowledgementEndsTheAnswer) {
    const auto answer = parse_datagram(from_hex(kAck), 5, "ask");
    ASSERT_TRUE(answer) << answer.error().sentence;
    EXPECT_TRUE(answer->done);
    EXPECT_TRUE(answer->messages.empty());
}

TEST(ParseDatagram, ARefusalKeepsTheKernelsWords) {
    const auto answer = parse_datagram(from_hex(kRefused), 5, "set the rings of eth0");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, EINVAL);
    EXPECT_EQ(answer.error().sentence,
              "set the rings of eth0: Invalid argument: requested ring size exceeds maximum "
              "(attribute at byte 36)");
}

TEST(ParseDatagram, AnswersToOthersAreLeftOut) {
    const auto answer = parse_datagram(from_hex(kRefused), 6, "ask");
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->done);
}

TEST(ParseDatagram, ARefusalWithDamagedWordsIsStillARefusal) {
    auto bytes = from_hex(kRefused);
    bytes[36] = std::byte{0xff};  // length of the first TLV
    const auto answer = parse_datagram(bytes, 5, "ask");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, EINVAL);
    EXPECT_EQ(answer.error().sentence, "ask: Invalid argument");
}

TEST(ParseDatagram, TheEndOfADumpMayCarryAnError) {
    const auto done = from_hex(
        "14000000030002000500000000000000"
        "00000000");
    EXPECT_TRUE(parse_datagram(done, 5, "list")->done);
    const auto failed = from_hex(
        "14000000030002000500000000000000"
        "a1ffffff");
    ASSERT_FALSE(parse_datagram(failed, 5, "list"));
    EXPECT_EQ(parse_datagram(failed, 5, "list").error().code, EOPNOTSUPP);
}

TEST(ParseDatagram, AnInterruptedDumpIsTold) {
    const auto bytes = from_hex(
        "14000000140012000500000000000000"
        "0a010000"
        "14000000030002000500000000000000"
        "00000000");
    const auto answer = parse_datagram(bytes, 5, "list");
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->interrupted);
    EXPECT_EQ(answer->messages.size(), 1U);
}

TEST(ParseDatagram, RefusesWhatIsNoNetlink) {
    for (const char* wrong : {"24000000",                          // a cut header
                              "0f000000020000010500000000000000",  // shorter than its header
                              "ff000000020000010500000000000000",  // longer than the datagram
                              "10000000020000010500000000000000",  // an acknowledgement without int
                              // an acknowledgement with a number that is no errno
                              "140000000200000105000000000000000100000000"}) {
        const auto answer = parse_datagram(from_hex(wrong), 5, "ask");
        ASSERT_FALSE(answer) << wrong;
        EXPECT_EQ(answer.error().code, EBADMSG) << wrong;
    }
}

TEST(ParseDatagram, EveryCutOfARealAnswerIsHandled) {
    const auto bytes = from_hex(kRefused);
    for (size_t size = 0; size < bytes.size(); ++size) {
        const std::vector cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        const auto answer = parse_datagram(cut, 5, "ask");
        if (size == 0) {
            EXPECT_TRUE(answer);
        } else {
            EXPECT_FALSE(answer) << size;
        }
    }
}

TEST(NetlinkMessage, TooShortForItsFixedPart) {
    NetlinkMessage message;
    message.payload = from_hex("0a01");
    EXPECT_EQ(message.attributes().error().code, EBADMSG);
    EXPECT_EQ(message.attributes(16).error().code, EBADMSG);
    message.payload = from_hex("0a010000");
    EXPECT_TRUE(message.attributes().value().empty());
}

}  // namespace
}  // namespace zcrxlab
