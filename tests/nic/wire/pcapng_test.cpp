// Tests of the capture writer, read back by a small reader of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "nic/wire.hpp"
#include "nic/wire/pcapng.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

uint32_t little32(const Bytes& bytes, size_t at) {
    return at8(bytes, at) | at8(bytes, at + 1) << 8 | at8(bytes, at + 2) << 16 |
           uint32_t{at8(bytes, at + 3)} << 24;
}
unsigned little16(const Bytes& bytes, size_t at) {
    return at8(bytes, at) | at8(bytes, at + 1) << 8;
}

struct ReadPacket {
    uint32_t interface = 0;
    uint64_t time = 0;
    uint32_t original = 0;
    Bytes bytes;
    std::string comment;
};

struct ReadFile {
    std::vector<std::string> interfaces;
    std::vector<ReadPacket> packets;
};

// Options as code and value, to the end option.
std::vector<std::pair<unsigned, std::string>> read_options(const Bytes& bytes, size_t at,
                                                           size_t end) {
    std::vector<std::pair<unsigned, std::string>> options;
    while (at + 4 <= end) {
        unsigned code = little16(bytes, at);
        unsigned length = little16(bytes, at + 2);
        at += 4;
        if (code == 0) {
            EXPECT_EQ(at, end);
            return options;
        }
        options.emplace_back(code, std::string(reinterpret_cast<const char*>(&bytes[at]), length));
        at += (length + 3) / 4 * 4;
    }
    EXPECT_EQ(at, end);
    return options;
}

ReadFile read_capture(const Bytes& file) {
    ReadFile read;
    size_t at = 0;
    while (at < file.size()) {
        uint32_t type = little32(file, at);
        uint32_t length = little32(file, at + 4);
        EXPECT_EQ(length % 4, 0U);
        if (length < 12 || at + length > file.size()) {
            ADD_FAILURE() << "block of " << length << " at " << at;
            return read;
        }
        EXPECT_EQ(little32(file, at + length - 4), length);
        size_t end = at + length - 4;
        if (at == 0) {
            EXPECT_EQ(type, 0x0a0d0d0aU);
            EXPECT_EQ(little32(file, 8), 0x1a2b3c4dU);
            EXPECT_EQ(little16(file, 12), 1U);
        } else if (type == 1) {
            EXPECT_EQ(little16(file, at + 8), 1U);
            auto options = read_options(file, at + 16, end);
            EXPECT_EQ(options.size(), 2U);
            EXPECT_EQ(options[0].first, 2U);
            EXPECT_EQ(options[1].first, 9U);
            EXPECT_EQ(options[1].second, "\x09");
            read.interfaces.push_back(options[0].second);
        } else {
            EXPECT_EQ(type, 6U);
            ReadPacket packet;
            packet.interface = little32(file, at + 8);
            packet.time = uint64_t{little32(file, at + 12)} << 32 | little32(file, at + 16);
            uint32_t captured = little32(file, at + 20);
            packet.original = little32(file, at + 24);
            packet.bytes.assign(file.begin() + at + 28, file.begin() + at + 28 + captured);
            for (const auto& [code, value] :
                 read_options(file, at + 28 + (captured + 3) / 4 * 4, end)) {
                EXPECT_EQ(code, 1U);
                packet.comment = value;
            }
            read.packets.push_back(packet);
        }
        at += length;
    }
    return read;
}

class Pcapng : public testing::Test {
  protected:
    Pcapng() : file_(memfd_create("capture", 0)) {}

    PcapngWriter open(const PcapngWriter::Options& options) {
        auto writer = PcapngWriter::create(Fd(dup(file_.get())), options);
        EXPECT_TRUE(writer.ok());
        return std::move(writer).value();
    }
    Bytes content() {
        off_t size = lseek(file_.get(), 0, SEEK_END);
        Bytes bytes(static_cast<size_t>(size));
        EXPECT_EQ(pread(file_.get(), bytes.data(), bytes.size(), 0), size);
        return bytes;
    }

    Fd file_;
};

TEST_F(Pcapng, WritesWhatAReaderExpects) {
    PcapngWriter::Options options;
    options.snap = 100;
    options.wall_clock_offset = 5000000000;
    PcapngWriter writer = open(options);
    Bytes small = stream_bytes(0, 61);
    Bytes large = stream_bytes(9, 4000);
    writer.packet(1, 7, small);
    writer.packet(0, 1ULL << 40, large, "fault 3: drop");
    writer.mark(9, "here");
    EXPECT_TRUE(writer.keeps_whole(100));
    EXPECT_FALSE(writer.keeps_whole(101));
    EXPECT_TRUE(writer.dirty());
    writer.flush();
    EXPECT_FALSE(writer.dirty());

    ReadFile read = read_capture(content());
    EXPECT_EQ(read.interfaces, (std::vector<std::string>{"port0", "port1"}));
    ASSERT_EQ(read.packets.size(), 3U);
    EXPECT_EQ(read.packets[0].interface, 1U);
    EXPECT_EQ(read.packets[0].time, 5000000007U);
    EXPECT_EQ(read.packets[0].bytes, small);
    EXPECT_EQ(read.packets[0].original, 61U);
    EXPECT_EQ(read.packets[0].comment, "");
    EXPECT_EQ(read.packets[1].interface, 0U);
    EXPECT_EQ(read.packets[1].time, (1ULL << 40) + 5000000000);
    EXPECT_EQ(read.packets[1].bytes, Bytes(large.begin(), large.begin() + 100));
    EXPECT_EQ(read.packets[1].original, 4000U);
    EXPECT_EQ(read.packets[1].comment, "fault 3: drop");
    EXPECT_TRUE(read.packets[2].bytes.empty());
    EXPECT_EQ(read.packets[2].comment, "here");
}

TEST_F(Pcapng, KeepsWholeFramesIfAsked) {
    PcapngWriter::Options options;
    options.snap = 0;
    PcapngWriter writer = open(options);
    Bytes large = stream_bytes(0, kMaximumFrame);
    for (int i = 0; i < 4; ++i) writer.packet(0, 1, large, std::string(5000, 'x'));
    writer.flush();
    ReadFile read = read_capture(content());
    ASSERT_EQ(read.packets.size(), 4U);
    EXPECT_EQ(read.packets[3].bytes, large);
    EXPECT_EQ(read.packets[3].comment, std::string(1000, 'x'));
}

TEST_F(Pcapng, StaysWithinItsSize) {
    PcapngWriter::Options options;
    options.maximum_size = 2000;
    PcapngWriter writer = open(options);
    for (int i = 0; i < 100; ++i) writer.packet(0, 1, stream_bytes(0, 100));
    writer.flush();
    Bytes file = content();
    EXPECT_LE(file.size(), 2000U);
    ReadFile read = read_capture(file);
    EXPECT_GT(read.packets.size(), 5U);
    EXPECT_EQ(read.packets.size() + writer.lost(), 100U);
}

TEST_F(Pcapng, AFullDiskStopsItQuietly) {
    auto failed = PcapngWriter::create(Fd(), {});
    EXPECT_EQ(failed.error().code, EBADF);
    Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    if (!full) GTEST_SKIP() << "there is no /dev/full here";
    EXPECT_EQ(PcapngWriter::create(std::move(full), {}).error().code, ENOSPC);
}

}  // namespace
}  // namespace zcrxlab::nic
