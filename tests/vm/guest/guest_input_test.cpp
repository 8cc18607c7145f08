// What reaches the guest's end of the socket.
#include "vm/guest/guest_input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace zcrxlab {
namespace {

class GuestInputTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(::pipe(typed_.data()), 0);
        stdin_ = ::dup(STDIN_FILENO);
        ::dup2(typed_[0], STDIN_FILENO);
        auto input = GuestInput::create(false);
        ASSERT_TRUE(input) << input.error().sentence;
        input_ = std::move(*input);
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
        ours_.reset(ends[0]);
        guest_.reset(ends[1]);
    }
    void TearDown() override {
        input_.reset();
        ::dup2(stdin_, STDIN_FILENO);
        for (int fd : {stdin_, typed_[0], typed_[1]}) ::close(fd);
    }
    void type(const std::string& text) {
        ASSERT_EQ(::write(typed_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // The next record, or type 0 if none comes.
    Record next(int milliseconds = 5000) {
        for (;;) {
            auto record = reader_.next();
            if (record && *record) return **record;
            pollfd ready{guest_.get(), POLLIN, 0};
            if (!record || ::poll(&ready, 1, milliseconds) <= 0) return {RecordType(0), {}};
            std::array<std::byte, 4096> chunk{};
            const ssize_t got = ::read(guest_.get(), chunk.data(), chunk.size());
            if (got > 0) reader_.feed(std::span(chunk).first(static_cast<size_t>(got)));
        }
    }

    std::array<int, 2> typed_{-1, -1};
    int stdin_ = -1;
    std::unique_ptr<GuestInput> input_;
    Fd ours_, guest_;
    RecordReader reader_;
};

TEST_F(GuestInputTest, WhatWasSentBeforeTheStartComesFirst) {
    input_->send(RecordType::kEnvironment, "A=1");
    type("hello");
    input_->start(std::move(ours_));
    EXPECT_EQ(next().type, RecordType::kEnvironment);
    const Record record = next();
    EXPECT_EQ(record.type, RecordType::kInput);
    EXPECT_EQ(record.json, "hello");
    const char interrupt = SIGINT;
    input_->send(RecordType::kSignal, {&interrupt, 1});
    EXPECT_EQ(next().type, RecordType::kSignal);
}

TEST_F(GuestInputTest, TheEndOfOursIsTheEndOfTheirs) {
    input_->start(std::move(ours_));
    ::close(typed_[1]);
    typed_[1] = -1;
    const Record record = next();
    EXPECT_EQ(record.type, RecordType::kInput);
    EXPECT_TRUE(record.json.empty());
}

TEST_F(GuestInputTest, AGuestThatIsGoneEndsNothing) {
    guest_.reset();
    input_->start(std::move(ours_));
    type("hello");
    input_->send(RecordType::kWindow, "1 2");
    input_->stop();
}

TEST_F(GuestInputTest, AProgramThatReadsNothingIsNotFlooded) {
    ::fcntl(typed_[1], F_SETFL, O_NONBLOCK);
    input_->start(std::move(ours_));
    const std::string block(16384, 'x');
    size_t heard = 0;
    const auto flood = [&] {
        for (int quiet = 0; quiet < 5;) {
            while (::write(typed_[1], block.data(), block.size()) > 0) {
            }
            const Record record = next(20);
            if (record.type == RecordType::kInput) {
                heard += record.json.size();
                quiet = 0;
            } else {
                ++quiet;
            }
        }
    };
    flood();
    EXPECT_GE(heard, 256U << 10);
    EXPECT_LE(heard, (256U << 10) + block.size());
    const size_t before = heard;
    input_->taken(100'000);
    flood();
    EXPECT_GT(heard, before);
    EXPECT_LE(heard, (256U << 10) + 100'000 + block.size());
}

}  // namespace
}  // namespace zcrxlab
