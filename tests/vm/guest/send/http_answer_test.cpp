// Where an HTTP answer ends.
#include "vm/guest/send/http_answer.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using State = HttpAnswer::State;

// The same however it is cut.
State state_of(const std::string& text, HttpAnswer* left = nullptr) {
    HttpAnswer whole;
    const State state = whole.feed(text);
    HttpAnswer bytewise;
    for (const char c : text) bytewise.feed({&c, 1});
    EXPECT_EQ(bytewise.feed({}), state) << text;
    EXPECT_EQ(bytewise.status(), whole.status()) << text;
    EXPECT_EQ(bytewise.body(), whole.body()) << text;
    if (left != nullptr) *left = whole;
    return state;
}

TEST(HttpAnswer, ALengthIsCounted) {
    HttpAnswer answer;
    EXPECT_EQ(state_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), State::kMore);
    EXPECT_EQ(state_of("HTTP/1.1 404 Not Found\r\ncontent-length:5 \r\n\r\nhello", &answer),
              State::kComplete);
    EXPECT_EQ(answer.status(), 404);
    EXPECT_EQ(answer.body(), 5U);
    EXPECT_FALSE(answer.closes());
    EXPECT_EQ(state_of("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), State::kComplete);
    EXPECT_EQ(state_of("HTTP/1.1 204\r\n\r\n"), State::kComplete);
}

TEST(HttpAnswer, ChunksAreJoined) {
    HttpAnswer answer;
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(state_of(head + "4\r\nabcd\r\nA;x=y\r\n0123456789\r\n0\r\n"), State::kMore);
    EXPECT_EQ(state_of(head + "4\r\nabcd\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\n", &answer),
              State::kComplete);
    EXPECT_EQ(answer.body(), 14U);
    EXPECT_EQ(state_of(head + "x\r\n"), State::kBroken);
    EXPECT_EQ(state_of(head + "1\r\nabc\r\n"), State::kBroken);
}

TEST(HttpAnswer, WithoutALengthItEndsWithTheConnection) {
    HttpAnswer answer;
    EXPECT_EQ(state_of("HTTP/1.0 200 OK\r\n\r\nwhatever", &answer), State::kMore);
    EXPECT_TRUE(answer.closes());
    EXPECT_EQ(answer.closed(), State::kComplete);
    EXPECT_EQ(state_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", &answer), State::kMore);
    EXPECT_EQ(answer.closed(), State::kBroken);
}

TEST(HttpAnswer, InterimAnswersArePassedOver) {
    HttpAnswer answer;
    EXPECT_EQ(state_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nConnection: "
                       "Close\r\nContent-Length: 1\r\n\r\nx",
                       &answer),
              State::kComplete);
    EXPECT_EQ(answer.status(), 201);
}

TEST(HttpAnswer, NonsenseIsBroken) {
    for (const char* text :
         {"hello\r\n", "HTTP/2 200\r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n"})
        EXPECT_EQ(state_of(text), State::kBroken) << text;
    HttpAnswer endless;
    EXPECT_EQ(endless.feed(std::string(100'000, 'x')), State::kBroken);
}

}  // namespace
}  // namespace zcrxlab
