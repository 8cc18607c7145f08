// What a list promises about CQEs and buffers, against kernels that keep it and kernels that do
// not.
#include <gtest/gtest.h>

#include "harness/uapi/io_uring.hpp"
#include "lists/player/promises.hpp"

namespace zcrxlab {
namespace {

constexpr uint32_t kStream = 1, kIfq = 1;
constexpr uint32_t kBuffer = 4096;

// A kernel that answers as the tests want it to.
class FakeKernel {
  public:
    FakeKernel() { add(IfqRegistered{.ifq = kIfq, .buffer_size = kBuffer}); }

    FakeKernel& submit(uint64_t request) {
        return add(RequestSubmitted{.request = request, .ifq = kIfq, .stream = kStream});
    }
    FakeKernel& data(uint64_t request, uint64_t offset, int32_t bytes = 100) {
        return add(CqeSeen{.request = request,
                           .ifq = kIfq,
                           .stream = kStream,
                           .result = bytes,
                           .flags = uapi::kCqeMore,
                           .offset = offset});
    }
    FakeKernel& final(uint64_t request, int32_t result = 0) {
        return add(CqeSeen{.request = request, .ifq = kIfq, .stream = kStream, .result = result});
    }
    FakeKernel& final_again(uint64_t request) { return add(OtherCqeSeen{.request = request}); }
    FakeKernel& give_back(uint64_t offset, bool on_purpose = false) {
        return add(BufferReturned{.ifq = kIfq, .offset = offset, .on_purpose = on_purpose});
    }
    FakeKernel& add(EventBody body) {
        events_.push_back({0, std::move(body)});
        return *this;
    }
    const std::vector<Event>& events() const { return events_; }

  private:
    std::vector<Event> events_;
};

Action action_from(const std::string& line) {
    const auto list = actions_from_text("ring r\nregister q ring=r\nconnect s ifq=q\n" + line);
    EXPECT_TRUE(list) << (list ? "" : list.error().sentence);
    return list ? list->actions.back() : Action{};
}

std::vector<std::string> miscounts_of(const std::string& line, const FakeKernel& kernel) {
    return miscounts(action_from(line), cqes_of(kernel.events(), kStream));
}

std::vector<std::string> misplaced_of(const std::string& line, const FakeKernel& kernel,
                                      uint64_t entries = 0) {
    return misplaced(action_from(line), buffers_held(kernel.events(), kIfq), entries);
}

// One request that a cancel ended, one that the stream's end did.
FakeKernel good_kernel() {
    FakeKernel kernel;
    kernel.submit(1).data(1, 0).data(1, 100).final(1, -ECANCELED);
    kernel.submit(2).data(2, kBuffer).final(2);
    return kernel;
}

TEST(Promises, AreKeptByAKernelThatDoesAsItShould) {
    EXPECT_TRUE(miscounts_of("count s requests=2 finals=2 least=3", good_kernel()).empty());
    EXPECT_TRUE(miscounts_of("count s least=2", good_kernel()).empty());
    EXPECT_TRUE(misplaced_of("buffers q held=2 entries=0", good_kernel()).empty());
}

TEST(Promises, OneFinalCqeTooMany) {
    FakeKernel kernel = good_kernel();
    kernel.final(1);
    const auto sentences = miscounts_of("count s requests=2 finals=2", kernel);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_EQ(sentences.front().substr(0, 4), "I2 (");
    EXPECT_NE(sentences.front().find("2 final CQEs are promised, there are 3"), std::string::npos)
        << sentences.front();
}

TEST(Promises, AFinalCqeBehindTheFinalOne) {
    FakeKernel kernel = good_kernel();
    kernel.final_again(1);
    EXPECT_EQ(miscounts_of("count s requests=2 finals=2", kernel).size(), 1U);
}

TEST(Promises, AFinalCqeThatNeverComes) {
    FakeKernel kernel;
    kernel.submit(1).data(1, 0);
    const Action count = action_from("count s requests=1 finals=1");
    EXPECT_FALSE(has_come(count, cqes_of(kernel.events(), kStream)));
    EXPECT_EQ(miscounts(count, cqes_of(kernel.events(), kStream)).size(), 1U);
    kernel.final(1);
    EXPECT_TRUE(has_come(count, cqes_of(kernel.events(), kStream)));
}

TEST(Promises, ARequestThatEndsTooEarlyIsArmedOnceTooOften) {
    FakeKernel kernel = good_kernel();
    kernel.submit(3).final(3, -ENOMEM);
    EXPECT_EQ(miscounts_of("count s requests=2 finals=2", kernel).size(), 2U);
}

TEST(Promises, ACqeOfMoreThanAPage) {
    FakeKernel kernel;
    kernel.submit(1).data(1, 0, 8192).final(1);
    EXPECT_EQ(miscounts_of("count s least=2", kernel).size(), 1U);
}

TEST(Promises, OfAnotherStreamCountsNothing) {
    FakeKernel kernel = good_kernel();
    kernel.add(RequestSubmitted{.request = 9, .ifq = kIfq, .stream = 2});
    kernel.add(CqeSeen{.request = 9, .ifq = kIfq, .stream = 2});
    EXPECT_TRUE(miscounts_of("count s requests=2 finals=2", kernel).empty());
}

TEST(Promises, ABufferGoesBackWithItsLastReference) {
    FakeKernel kernel = good_kernel();
    kernel.give_back(0);
    EXPECT_TRUE(misplaced_of("buffers q held=2", kernel).empty());
    kernel.give_back(100);
    EXPECT_TRUE(misplaced_of("buffers q held=1", kernel).empty());
    // What was not held gives nothing back.
    kernel.give_back(kBuffer, true);
    EXPECT_TRUE(misplaced_of("buffers q held=1", kernel).empty());
    kernel.add(RingClosed{.ifq = kIfq, .ifq_lives_on = true});
    EXPECT_TRUE(misplaced_of("buffers q held=1", kernel).empty());
    kernel.add(RingClosed{kIfq});
    EXPECT_TRUE(misplaced_of("buffers q held=0", kernel).empty());
}

TEST(Promises, ABufferGivenOutTwiceAndOneThatIsLost) {
    FakeKernel twice;
    twice.submit(1).data(1, 0).data(1, 0).data(1, kBuffer);
    const auto sentences = misplaced_of("buffers q held=3", twice);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_EQ(sentences.front().substr(0, 4), "I5 (");
    EXPECT_NE(sentences.front().find("3 different buffers"), std::string::npos);
}

TEST(Promises, EntriesThatTheKernelLeaves) {
    EXPECT_EQ(misplaced_of("buffers q entries=0", good_kernel(), 3).size(), 1U);
    EXPECT_TRUE(misplaced_of("buffers q entries=3", good_kernel(), 3).empty());
}

}  // namespace
}  // namespace zcrxlab
