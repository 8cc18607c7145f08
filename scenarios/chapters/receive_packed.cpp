// Chapter receive: pieces of several packets in one buffer, at any offset, as mlx5 and fbnic pack
// them. A buffer is then in several CQEs, and comes back when all of them have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab::receive_packed {
namespace {

constexpr uint32_t kQueue = 1;
// A reader that the machine lets wait may find a CQE for each piece that an area has room for.
constexpr uint32_t kCqEntries = 32768;
constexpr const char* kElsewhere = "; type: zcrxlab run --nic netdevsim";

struct Packing {
    const char* name;
    uint32_t bytes;         // between two pieces in a buffer
    uint32_t mss = 0;       // of the segments, bytes; 0: as large as the MTU lets them be
    bool merged = false;    // packets as large as they were sent
    uint32_t piece = 4096;  // the largest, bytes (rx-buf-len)
    uint32_t buffer = 0;    // rx_buf_len, bytes; 0: a page
};
constexpr Packing kPackings[] = {
    {.name = "odd", .bytes = 1},
    // 1448 bytes, with TCP's timestamps: nothing but the packing makes a piece begin at no multiple
    // of 8.
    {.name = "aligned", .bytes = 64, .mss = 1460},
    {.name = "small_segments", .bytes = 7, .mss = 300},
    {.name = "merged", .bytes = 1, .merged = true},
    {.name = "small_pieces", .bytes = 3, .merged = true, .piece = 1024},
    {.name = "large_buffers", .bytes = 1, .buffer = 16384},
    {.name = "large_buffers_merged", .bytes = 5, .merged = true, .buffer = 16384},
};

// Which pieces of which buffers came.
struct Pieces {
    std::map<uint64_t, std::set<uint64_t>> of_buffer;  // offsets in the area, by buffer
    uint64_t unaligned = 0;                            // that begin at no multiple of 8

    uint64_t shared() const {
        return static_cast<uint64_t>(std::ranges::count_if(
            of_buffer, [](const auto& buffer) { return buffer.second.size() > 1; }));
    }
};

void watch(ReceivePath& rx, Pieces& pieces) {
    rx.receiver().on_data = [&rx, &pieces](uint32_t, const Completion& cqe,
                                           std::span<const std::byte>) {
        const uint64_t offset = cqe.offset & uapi::kZcrxOffsetMask;
        pieces.of_buffer[offset / rx.ifq().buffer_size()].insert(offset);
        if (offset % 8 != 0) ++pieces.unaligned;
    };
}

SCENARIO_TABLE(receive, packed,
               "a stream whose packets lie side by side in its buffers, at any offset, arrives "
               "whole, and every buffer comes back",
               Terms(Needs{.where = Where::kDevice, .dma_log = true, .queues = 1})
                   .claims({"refill.one-reference"}),
               kPackings, row) {
    if (!pack_packets(scene, row.bytes))
        GTEST_SKIP() << "needs a NIC that packs several packets into a buffer" << kElsewhere;
    scene.must(scene.nic().set_feature("rx-gro-hw", row.merged));
    EXPECT_TRUE(use_receive_buffers(scene, row.piece));
    ReceivePathOptions options{.ring = {.cq_entries = kCqEntries}, .queue = kQueue};
    if (row.buffer != 0) {
        reserve_until_end(scene, kHugePagesOfScenarios);
        options.ifq = {.buffer_length = row.buffer,
                       .area_kind = AreaKind::kHugePages,
                       .area_size = 4 * kHugePageSize};
    }
    ReceivePath rx(scene, options);
    Pieces pieces;
    watch(rx, pieces);
    TcpOptions tcp;
    if (row.mss != 0) tcp.mss = row.mss;
    const uint32_t stream =
        rx.connect({.bytes = 0, .chunks = {60000, 336}, .end = PeerEnd::kIdle, .tcp = tcp});
    // Of a busy sender's packets none may be small enough to have room beside another one.
    constexpr uint64_t kSmall = 200;
    for (uint64_t bytes = kSmall; bytes <= 8 * kSmall; bytes += kSmall) {
        rx.peer(stream).send_more(kSmall);
        rx.receive(bytes);
    }
    rx.peer(stream).send_more(4_MiB - 8 * kSmall);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 4_MiB);
    EXPECT_GT(pieces.shared(), 0U) << "No buffer had two pieces, so this shows nothing.";
    EXPECT_EQ(pieces.unaligned > 0, row.bytes % 8 != 0) << pieces.unaligned << " pieces";
    scene.note(std::to_string(pieces.shared()) + " of " + std::to_string(pieces.of_buffer.size()) +
               " buffers had several pieces");
    rx.measure_capacity();
}

// What is given back leaves the buffer with whoever holds another piece of it: the oldest pieces
// are held, but for the first of them, and far more than the area goes through the rest.
SCENARIO(receive, packed_and_held,
         "a buffer whose pieces were given back but for one is not used again, and is when the "
         "last of them was",
         Terms(Needs{.where = Where::kDevice, .dma_log = true, .queues = 1})
             .claims({"refill.one-reference"})) {
    if (!pack_packets(scene, 1))
        GTEST_SKIP() << "needs a NIC that packs several packets into a buffer" << kElsewhere;
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
    constexpr size_t kArea = 128 * kPageSize;
    ReceivePath rx(scene, {.ifq = {.area_size = kArea},
                           .receiver = {.returns = ReturnPolicy::kNever},
                           .queue = kQueue});
    Pieces pieces;
    watch(rx, pieces);
    const uint32_t stream =
        rx.connect({.bytes = 0, .chunks = {500}, .end = PeerEnd::kIdle, .tcp = {.mss = 512}});
    // Enough for several buffers, of which the first is full.
    rx.peer(stream).send_more(32000);
    rx.receive(32000);
    const std::vector<uint64_t> first = scene.must(rx.receiver().return_some(rx.ifq(), 1, false));
    ASSERT_EQ(first.size(), 1U);
    const uint64_t buffer = (first[0] & uapi::kZcrxOffsetMask) / kPageSize;
    const size_t in_first = pieces.of_buffer[buffer].size();
    ASSERT_GT(in_first, 2U) << "The first buffer has too few pieces.";
    ASSERT_GT(pieces.of_buffer.size(), 2U) << "It may still get more.";
    // All of the first buffer but one piece.
    scene.must(rx.receiver().return_some(rx.ifq(), in_first - 2, false));
    const size_t kept = rx.receiver().held();
    pieces.of_buffer.clear();
    for (uint64_t bytes = 32000; bytes < 32000 + 8 * kArea;) {
        bytes += kArea / 4;
        rx.peer(stream).send_more(kArea / 4);
        rx.receive(bytes);
        scene.read_dma_log();
        scene.must(rx.receiver().return_some(rx.ifq(), rx.receiver().held() - kept, true));
    }
    EXPECT_FALSE(pieces.of_buffer.contains(buffer))
        << "The buffer was used again while a piece of it was held.";
    EXPECT_GT(pieces.of_buffer.size(), 32U) << "Hardly any buffer was used again.";
    scene.must(rx.receiver().return_held());
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    rx.return_at_once();
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::receive_packed
