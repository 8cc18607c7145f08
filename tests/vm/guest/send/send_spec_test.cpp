// What a person may tell our sender.
#include "vm/guest/send/send_spec.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

TEST(SendSpec, WithoutAWordItIsOneMegabyte) {
    const auto spec = parse_send_spec("");
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->connections, 1U);
    EXPECT_EQ(spec->size, 1U << 20);
    EXPECT_EQ(spec->pattern, SendPattern::kZcrxlab);
    EXPECT_FALSE(spec->duration);
    EXPECT_FALSE(spec->rate);
}

TEST(SendSpec, TakesEveryWord) {
    const auto spec = parse_send_spec(
        "connections=4,requests=10,size=3G,write=64K,rate=10M,think=20ms,for=5s,pattern=http,"
        "path=/a/b?c,family=6,port=8080,seed=7,end=reset");
    ASSERT_TRUE(spec) << spec.error().sentence;
    EXPECT_EQ(spec->connections, 4U);
    EXPECT_EQ(spec->requests, 10U);
    EXPECT_EQ(spec->size, uint64_t{3} << 30);
    EXPECT_EQ(spec->write, 64U << 10);
    EXPECT_EQ(spec->rate, 10U << 20);
    EXPECT_EQ(spec->think, milliseconds(20));
    EXPECT_EQ(spec->duration, milliseconds(5000));
    EXPECT_EQ(spec->pattern, SendPattern::kHttp);
    EXPECT_EQ(spec->path, "/a/b?c");
    EXPECT_EQ(spec->family, 6);
    EXPECT_EQ(spec->port, 8080);
    EXPECT_EQ(spec->seed, 7U);
    EXPECT_TRUE(spec->reset);
}

TEST(SendSpec, WhatIsWrongIsNamed) {
    for (const char* text :
         {"connections=0", "connections=1025",  "requests=0", "size=",     "size=1T",
          "size=-1",       "size=99999999999G", "write=0",    "write=17M", "rate=0",
          "rate=fast",     "think=5",           "for=",       "for=5h",    "pattern=random",
          "path=x",        "path=/a b",         "family=5",   "port=0",    "port=65536",
          "seed=x",        "end=now",           "speed=1",    "size",      ",",
          "size=1,,seed=1"}) {
        const auto spec = parse_send_spec(text);
        ASSERT_FALSE(spec) << text;
        EXPECT_EQ(spec.error().code, EINVAL);
    }
    EXPECT_NE(parse_send_spec("size=1,end=now").error().sentence.find("\"end=now\""),
              std::string::npos);
    EXPECT_NE(parse_send_spec("speed=1").error().sentence.find("connections"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
