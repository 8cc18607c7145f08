// Chapter refill, entries that nobody flushes: how a driver takes them up, and very many of them.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::refill_unflushed {
namespace {

// Nothing flushes here: the driver takes entries up when it wants buffers, several at a time, and
// hands them to the NIC, so that each of them is soon written to again.
SCENARIO(refill, one_too_many,
         "an entry too many right behind the valid one of a buffer does not lose the buffer",
         Terms(Needs{.where = Where::kDevice}).claims({"refill.one-too-many"})) {
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 6U << 20}, .receiver = {.returns = ReturnPolicy::kNever}});
    std::vector<Completion> kept;
    rx.receiver().on_data = [&kept](uint32_t, const Completion& cqe, auto) { kept.push_back(cqe); };
    rx.connect({.bytes = 400000});
    rx.receive_all();
    rx.forget_held();
    const uint32_t size = rx.ifq().buffer_size();
    RefillRing& refill = rx.ifq().refill();
    std::map<uint64_t, bool> missing[2];  // buffers with one entry, and those with two
    for (size_t i = 0; i < kept.size(); ++i) {
        const bool again = i % 4 == 0;
        const auto length = static_cast<uint32_t>(kept[i].result);
        scene.trace().add(
            BufferReturned{.ifq = rx.ifq().number(), .offset = kept[i].offset, .length = length});
        for (int entries = again ? 2 : 1; entries > 0; --entries)
            ASSERT_TRUE(refill.push(kept[i].offset, length));
        missing[again ? 1 : 0][kept[i].offset / size] = true;
    }
    const size_t twice = missing[1].size();
    const uint32_t last = refill.tail();
    refill.publish();
    rx.return_at_once();
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        for (auto& buffers : missing) buffers.erase(cqe.offset / size);
    };
    rx.connect({.bytes = 20U << 20});
    rx.receive_all();
    EXPECT_LE(last, refill.head()) << "the driver did not take the entries up";
    EXPECT_EQ(missing[0].size(), 0U) << "buffers with one entry each did not come back";
    EXPECT_TRUE(missing[1].empty())
        << "An entry too many lost " << missing[1].size() << " of " << twice << " buffers.";
}

// An entry that names no buffer.
struct Nonsense {
    const char* name;
    uint64_t (*offset)(uint64_t held, uint64_t area);  // of a held buffer, for an area of that size
    uint32_t padding = 0;
};
constexpr Nonsense kNonsense[] = {
    {"area", [](uint64_t held, uint64_t) { return held | uint64_t{1} << uapi::kZcrxAreaShift; }},
    {"index", [](uint64_t, uint64_t area) { return area; }},
    {"padding", [](uint64_t held, uint64_t) { return held; }, 1},
};

SCENARIO_TABLE(refill, invalid_unflushed,
               "an entry that names no buffer, which a driver finds when it wants one, is used up "
               "without effect",
               Terms(Needs{.where = Where::kDevice}).claims({"refill.invalid-ignored"}), kNonsense,
               row) {
    constexpr uint64_t kFirst = 400000, kMore = 10U << 20;
    ReceivePath rx(scene, {.ifq = {.area_size = area_to_hold(scene, kFirst + kMore, 16U << 20)},
                           .receiver = {.returns = ReturnPolicy::kNever}});
    std::vector<Completion> kept;
    const auto keep = [&](uint64_t bytes) {
        rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) { kept.push_back(cqe); };
        rx.connect({.bytes = bytes});
        rx.receive_all();
    };
    keep(kFirst);
    RefillRing& refill = rx.ifq().refill();
    for (const Completion& cqe : kept)
        ASSERT_TRUE(refill.push(row.offset(cqe.offset, rx.ifq().area().size()),
                                static_cast<uint32_t>(cqe.result), row.padding));
    const uint32_t last = refill.tail();
    refill.publish();
    // For this the driver looks for buffers, and what it finds is written to, behind the thousand
    // or two that it has posted before; a held one must not be among them.
    keep(kMore);
    EXPECT_LE(last, refill.head()) << "the driver did not take the entries up";
    scene.must(rx.receiver().return_held());
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::refill_unflushed
