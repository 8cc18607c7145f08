// What a device has to receive into, before and after its queue was polled.
#include "scenarios/framework/streams/queue_buffers.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TEST(QueueBuffers, OneThatDoesNotTellHasNothingToSay) {
    const QueueBuffers unknown{.queue = 1};
    EXPECT_FALSE(unknown.starves() || unknown.withheld());
}

TEST(QueueBuffers, StarvesWithFewerThanALargePacketTakes) {
    EXPECT_TRUE((QueueBuffers{.posted = 16}.starves()));
    EXPECT_FALSE((QueueBuffers{.posted = 17}.starves()));
}

TEST(QueueBuffers, WithheldIsALargePacketsWorth) {
    EXPECT_FALSE((QueueBuffers{.posted = 2}.withheld())) << "nobody has polled";
    EXPECT_FALSE((QueueBuffers{.posted = 2, .posted_when_polled = 16}.withheld()));
    EXPECT_TRUE((QueueBuffers{.posted = 2, .posted_when_polled = 17}.withheld()));
    EXPECT_FALSE((QueueBuffers{.posted = 20, .posted_when_polled = 192}.withheld()))
        << "it did not starve";
}

}  // namespace
}  // namespace zcrxlab
