// Tests of MessageReader: messages cut anywhere, and descriptors that stay with their message.
#include "nic/transport/message_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/nic/transport/client_messages.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

class MessageReaderTest : public testing::Test {
  protected:
    struct Seen {
        uint16_t id;
        Bytes payload;
        size_t fds;
        bool lost;
    };

    void feed(std::span<const std::byte> bytes, std::vector<Fd> fds = {}, bool lost = false) {
        auto space = reader.space();
        ASSERT_GE(space.size(), bytes.size());
        std::copy(bytes.begin(), bytes.end(), space.begin());
        reader.commit(bytes.size(), std::move(fds), lost);
        while (true) {
            auto message = reader.next();
            ASSERT_TRUE(message.ok());
            if (!message->has_value()) break;
            Message& one = **message;
            seen.push_back({one.header.id,
                            {one.payload.begin(), one.payload.end()},
                            one.fds.size(),
                            one.fds_lost});
        }
    }
    static Bytes message(uint16_t id, size_t size = 0) {
        return request(Command::kDmaMap, Bytes(size, static_cast<std::byte>(id)), 0, id);
    }
    static Bytes joined(const Bytes& a, const Bytes& b) {
        Bytes both = a;
        both.insert(both.end(), b.begin(), b.end());
        return both;
    }

    MessageReader reader;
    std::vector<Seen> seen;
};

TEST_F(MessageReaderTest, SeveralAtOnce) {
    feed(joined(joined(message(1, 5), message(2)), message(3, 32)));
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0].payload, Bytes(5, std::byte{1}));
    EXPECT_EQ(seen[1].payload, Bytes());
    EXPECT_EQ(seen[2].payload, Bytes(32, std::byte{3}));
}

TEST_F(MessageReaderTest, ByteByByte) {
    Bytes all = joined(message(1, 5), message(2, 3));
    for (std::byte byte : all) feed(std::span(&byte, 1));
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].id, 2);
    EXPECT_EQ(seen[1].payload, Bytes(3, std::byte{2}));
}

TEST_F(MessageReaderTest, ManyMessagesPassThroughTheBuffer) {
    for (int i = 0; i < 1000; i++) feed(message(static_cast<uint16_t>(i), 4000));
    ASSERT_EQ(seen.size(), 1000u);
    EXPECT_EQ(seen[999].id, 999);
}

TEST_F(MessageReaderTest, DescriptorsBelongToTheLastMessageThatBegan) {
    feed(joined(message(1), message(2)), fd_list(event_file()));
    feed(message(3));
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0].fds, 0u);
    EXPECT_EQ(seen[1].fds, 1u);
    EXPECT_EQ(seen[2].fds, 0u);
}

TEST_F(MessageReaderTest, DescriptorsWaitForTheRestOfTheirMessage) {
    Bytes first = message(1);
    Bytes second = message(2, 20);
    feed(joined(first, {second.begin(), second.begin() + 3}), fd_list(event_file(), event_file()));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].fds, 0u);
    feed(std::span(second).subspan(3));
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].fds, 2u);
}

TEST_F(MessageReaderTest, DescriptorsWithTheRestOfAMessageAreItsOwn) {
    Bytes one = message(1, 20);
    feed(std::span(one).first(10), fd_list(event_file()));
    feed(std::span(one).subspan(10), fd_list(event_file()));
    feed(message(2));
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].fds, 2u);
    EXPECT_EQ(seen[1].fds, 0u);
}

TEST_F(MessageReaderTest, TooManyDescriptorsAreClosedAndSaidToBeLost) {
    std::vector<Fd> many;
    for (uint32_t i = 0; i <= kMaximumFds; i++) many.push_back(event_file());
    int watched = many.back().get();
    feed(message(1), std::move(many));
    EXPECT_EQ(::fcntl(watched, F_GETFD), -1) << "closed";
    Bytes second = message(2, 40);
    for (size_t i = 0; i < second.size(); i++) {
        std::vector<Fd> one;
        one.push_back(event_file());
        feed(std::span(second).subspan(i, 1), std::move(one));
    }
    feed(message(3), {}, true);
    feed(message(4), fd_list(event_file()));
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_TRUE(seen[0].lost);
    EXPECT_EQ(seen[0].fds, 0u);
    EXPECT_TRUE(seen[1].lost);
    EXPECT_LE(seen[1].fds, kMaximumFds);
    EXPECT_TRUE(seen[2].lost);
    EXPECT_FALSE(seen[3].lost);
    EXPECT_EQ(seen[3].fds, 1u);
}

TEST_F(MessageReaderTest, ImpossibleSizesEndTheStream) {
    for (uint32_t size : {0u, 15u, kMaximumMessage + 1, 0xffffffffu}) {
        MessageReader fresh;
        Bytes bytes = payload(Header{1, 2, size, 0, 0});
        std::copy(bytes.begin(), bytes.end(), fresh.space().begin());
        fresh.commit(bytes.size(), {}, false);
        auto message = fresh.next();
        ASSERT_FALSE(message.ok()) << size;
        EXPECT_EQ(message.error().code, EPROTO);
    }
}

TEST_F(MessageReaderTest, TheLongestMessageFits) {
    Bytes longest = message(1, kMaximumMessage - sizeof(Header));
    for (size_t i = 0; i < longest.size(); i += 1000)
        feed(std::span(longest).subspan(i, std::min<size_t>(1000, longest.size() - i)));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].payload.size(), kMaximumMessage - sizeof(Header));
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
