// The small types that everything is built on: byte order, results, owners, errno names.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "harness/base/defer.hpp"
#include "harness/base/endian.hpp"
#include "harness/base/errno_name.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {
namespace {

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Endian, BytesLieInTheOrderOfTheType) {
    const Le32 little = 0x11223344U;
    const Be32 big = 0x11223344U;
    EXPECT_EQ(reinterpret_cast<const unsigned char*>(&little)[0], 0x44);
    EXPECT_EQ(reinterpret_cast<const unsigned char*>(&big)[0], 0x11);
    EXPECT_EQ(little, big.get());
    EXPECT_EQ(byteswapped<uint64_t>(0x0102030405060708U), 0x0807060504030201U);
    EXPECT_EQ(byteswapped<uint16_t>(0x0102), 0x0201);
    EXPECT_EQ(byteswapped<uint8_t>(0x12), 0x12);
}

TEST(Result, HoldsAValueOrAnError) {
    const Result<std::string> good = std::string("value");
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(*good, "value");
    EXPECT_EQ(good->size(), 5U);
    const Result<std::string> bad = Error{EINVAL, "a sentence"};
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, EINVAL);
    EXPECT_TRUE(Result<void>().ok());
    EXPECT_FALSE(Result<void>(Error{EIO, "x"}).ok());
    EXPECT_EQ(error_from_errno("open /dev/x", ENOENT).sentence,
              "open /dev/x: No such file or directory");
}

TEST(Result, MovesWhatCannotBeCopied) {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
    const std::unique_ptr<int> taken = *std::move(made);
    EXPECT_EQ(*taken, 7);
}

TEST(Fd, ClosesOnceAndOnlyWhatItOwns) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    {
        Fd first(pipe_ends[0]);
        Fd second(std::move(first));
        EXPECT_FALSE(first);  // NOLINT: what is left behind is the point
        EXPECT_TRUE(is_open(pipe_ends[0]));
        Fd kept(pipe_ends[1]);
        EXPECT_EQ(kept.release(), pipe_ends[1]);
    }
    EXPECT_FALSE(is_open(pipe_ends[0]));
    EXPECT_TRUE(is_open(pipe_ends[1]));
    ::close(pipe_ends[1]);
}

TEST(Mapping, OwnsItsMemory) {
    auto made = Mapping::anonymous(8192);
    ASSERT_TRUE(made.ok());
    Mapping mapping = *std::move(made);
    mapping.bytes()[8191] = std::byte{1};
    Mapping moved(std::move(mapping));
    EXPECT_FALSE(mapping);  // NOLINT
    EXPECT_EQ(moved.bytes()[8191], std::byte{1});
    EXPECT_FALSE(Mapping::anonymous(0).ok());
}

TEST(Defer, RunsOnceUnlessDismissed) {
    int runs = 0;
    {
        const Defer undo([&] { ++runs; });
    }
    EXPECT_EQ(runs, 1);
    {
        Defer undo([&] { ++runs; });
        undo.run();
        undo.run();
    }
    EXPECT_EQ(runs, 2);
    {
        Defer undo([&] { ++runs; });
        Defer other(std::move(undo));
        other.dismiss();
    }
    EXPECT_EQ(runs, 2);
}

TEST(ErrnoName, NamesWhatHasAName) {
    EXPECT_EQ(errno_name(0), "success");
    EXPECT_EQ(errno_name(EINVAL), "EINVAL");
    EXPECT_EQ(errno_name(4711), "errno 4711");
    EXPECT_EQ(result_name(-ENOSPC), "-ENOSPC");
    EXPECT_EQ(result_name(0), "0");
    EXPECT_EQ(result_name(4096), "4096");
    EXPECT_EQ(result_name(-100000), "-100000");
}

}  // namespace
}  // namespace zcrxlab
