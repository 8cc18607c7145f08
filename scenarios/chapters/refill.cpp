// Chapter refill: how buffers go back: order, wraps, several references, entries that mean nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/local_stream.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::refill {
namespace {

using namespace std::chrono_literals;

// A reference that the scenario has.
struct Reference {
    uint64_t offset;
    uint32_t length;
};

// Receives a whole stream and keeps all of it; from here on the scenario gives back.
std::vector<Reference> receive_and_keep(ReceivePath& rx, uint64_t bytes) {
    std::vector<Reference> kept;
    rx.receiver().on_data = [&kept](uint32_t, const Completion& cqe, auto) {
        kept.push_back({cqe.offset, static_cast<uint32_t>(cqe.result)});
    };
    rx.connect({.bytes = bytes});
    rx.receive_all();
    rx.forget_held();
    return kept;
}

// Of an entry that gives back what is held; one that means nothing is no return.
void record(Scene& scene, ReceivePath& rx, const Reference& reference) {
    scene.trace().add(BufferReturned{
        .ifq = rx.ifq().number(), .offset = reference.offset, .length = reference.length});
}

// Until the kernel has taken up everything. Entries that mean nothing may need a call each.
void settle(Scene& scene, ReceivePath& rx) {
    RefillRing& refill = rx.ifq().refill();
    refill.publish();
    for (uint32_t i = 0; refill.head() != refill.tail(); ++i) {
        if (i > 2 * refill.entries()) {
            scene.give_up("The refill ring keeps " + std::to_string(refill.tail() - refill.head()) +
                          " entries however often it is flushed.");
        }
        scene.must(rx.ifq().flush());
    }
}

// Writes an entry, and makes space first where there is none.
void push(Scene& scene, ReceivePath& rx, uint64_t offset, uint32_t length, uint32_t padding = 0) {
    if (rx.ifq().refill().space() == 0) settle(scene, rx);
    ASSERT_TRUE(rx.ifq().refill().push(offset, length, padding));
}

// For the trace, as actions: of entries that give nothing back there is no event.
void tell_return(Scene& scene, ReceivePath& rx, const std::string& how) {
    scene.done("return q" + std::to_string(rx.ifq().number()) + " " + how);
}
// Call before anything is received.
void tell_keeping(Scene& scene, ReceivePath& rx) {
    scene.done("policy r" + std::to_string(rx.ifq().number()) + " returns=never");
}

const Needs kFlushNeeds{.features = {Feature::kFlushRq}};
const Needs kTwoThreads{.cpus = 2, .features = {Feature::kFlushRq}};
// Small, so that counting its buffers is quick, and larger than the receive ring of a NIC.
constexpr size_t kAreaSize = 6_MiB;
const ReceivePathOptions kKeeping = {.ifq = {.area_size = kAreaSize},
                                     .receiver = {.returns = ReturnPolicy::kNever}};

// ---- the ring itself

struct Entries {
    const char* name;
    uint32_t entries;
};
constexpr Entries kEntries[] = {{"1_entry", 1},        {"2_entries", 2},   {"3_entries", 3},
                                {"8_entries", 8},      {"64_entries", 64}, {"1000_entries", 1000},
                                {"4096_entries", 4096}};

SCENARIO_TABLE(refill, wrap, "a refill ring works on over its end, however small it is",
               Terms(kFlushNeeds).claims({"refill.wrap", "refill.head-published"}), kEntries, row) {
    ReceivePath rx(scene, {.ifq = {.rq_entries = row.entries, .area_size = kAreaSize}});
    const RefillRing& refill = rx.ifq().refill();
    bool passed = false;
    const auto look = [&] { passed |= refill.tail() - refill.head() > refill.entries(); };
    rx.receiver().on_data = [&](uint32_t, const Completion&, auto) { look(); };
    // An entry gives back at most a buffer.
    rx.connect({.bytes = std::max(2_MiB, row.entries * 6_KiB), .chunks = {1400}});
    rx.receive_all();
    scene.must(rx.ifq().flush());
    look();
    EXPECT_FALSE(passed) << "the kernel's head was ahead of the tail";
    EXPECT_GT(refill.head(), refill.entries()) << "the kernel never came to its end";
    rx.measure_capacity();
}

SCENARIO(refill, overfull,
         "a tail that is further ahead than the ring is long counts as a full one",
         Terms(kFlushNeeds).claims({"refill.overfull"})) {
    ReceivePathOptions options = kKeeping;
    options.ifq.rq_entries = 8;
    ReceivePath rx(scene, options);
    const std::vector<Reference> kept = receive_and_keep(rx, 200000);
    ASSERT_GE(kept.size(), 8U);
    RefillRing& refill = rx.ifq().refill();
    for (size_t i = 0; i < 8; ++i) {
        record(scene, rx, kept[i]);
        push(scene, rx, kept[i].offset, kept[i].length);
    }
    const uint32_t head = refill.head();
    ASSERT_EQ(refill.tail() - head, 8U);
    scene.done("# a tail that is further ahead than the ring is long");
    refill.publish_tail(head + 16);
    scene.must(rx.ifq().flush());
    EXPECT_GE(refill.head() - head, 8U);
    EXPECT_LE(refill.head() - head, 16U);
    settle(scene, rx);
    EXPECT_EQ(refill.head() - head, 16U);
    for (size_t i = 8; i < kept.size(); ++i) {
        record(scene, rx, kept[i]);
        push(scene, rx, kept[i].offset, kept[i].length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

// ---- order

struct Order {
    const char* name;
    void (*arrange)(std::vector<Reference>&, uint64_t seed);
};
const Order kOrders[] = {
    {"reverse",
     [](std::vector<Reference>& all, uint64_t) { std::reverse(all.begin(), all.end()); }},
    {"shuffled",
     [](std::vector<Reference>& all, uint64_t seed) {
         std::shuffle(all.begin(), all.end(), std::mt19937_64(seed));
     }},
    {"by_address",
     [](std::vector<Reference>& all, uint64_t) {
         std::sort(all.begin(), all.end(),
                   [](const Reference& a, const Reference& b) { return a.offset < b.offset; });
     }},
    {"rotated",
     [](std::vector<Reference>& all, uint64_t) {
         std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
     }},
};

SCENARIO_TABLE(refill, any_order, "buffers may come back in any order",
               Terms(kFlushNeeds).claims({"refill.any-order"}), kOrders, row) {
    ReceivePathOptions options = kKeeping;
    options.ifq.area_size = area_to_hold(scene, 2_MiB, kAreaSize);
    ReceivePath rx(scene, options);
    std::vector<Reference> kept = receive_and_keep(rx, 2_MiB);
    row.arrange(kept, scene.seed(1));
    for (const Reference& reference : kept) {
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

SCENARIO(refill, newest_first, "buffers that come back newest first, in groups, are used again",
         Terms(Needs{}).claims({"refill.any-order"})) {
    ReceivePath rx(scene, {.ifq = {.area_size = 8_MiB},
                           .receiver = {.returns = ReturnPolicy::kReverse, .hold = 100}});
    rx.connect({.bytes = 12_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

SCENARIO(refill, other_thread, "another thread than the one that receives may give buffers back",
         Terms(kTwoThreads).within(20s).claims({"refill.other-thread"})) {
    ReceivePathOptions options = kKeeping;
    options.ifq.area_size = 8_MiB;
    ReceivePath rx(scene, options);
    std::mutex mutex;  // of `kept`
    std::vector<Reference> kept;
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        const std::lock_guard lock(mutex);
        kept.push_back({cqe.offset, static_cast<uint32_t>(cqe.result)});
    };
    std::atomic<bool> stop{false}, stopped{false};
    RefillRing& refill = rx.ifq().refill();
    std::thread returning([&] {
        std::vector<Reference> mine;
        size_t next = 0;
        for (;;) {
            if (next == mine.size()) {
                const bool last = stop;
                mine.clear();
                next = 0;
                const std::lock_guard lock(mutex);
                mine.swap(kept);
                if (last && mine.empty()) break;
            }
            // First in the ring, then told, then published: at any moment either the user or the
            // ring has it, and the kernel cannot have it before the trace says so.
            for (; next < mine.size() && refill.space() != 0; ++next) {
                refill.push(mine[next].offset, mine[next].length);
                record(scene, rx, mine[next]);
            }
            refill.publish();
            std::this_thread::sleep_for(1ms);
        }
        stopped = true;
    });
    const uint32_t stream = rx.connect({.bytes = 12_MiB});
    const StreamState& state = rx.receiver().state(stream);
    // Copies take free buffers only, so the receiving thread flushes, and arms after -ENOMEM.
    while (state.bytes < 12_MiB && scene.time_left() > 0ms) {
        scene.must(rx.receiver().run(20ms, [&] { return state.ended; }));
        if (rx.ifq().nodev()) scene.must(rx.receiver().flush(rx.ifq()));
        if (state.ended && state.final_result == -ENOMEM) {
            std::this_thread::sleep_for(2ms);
            scene.must(rx.receiver().arm(stream));
        }
    }
    rx.receive_all();
    stop = true;
    while (!stopped) {
        scene.must(rx.ifq().flush());
        std::this_thread::sleep_for(1ms);
    }
    returning.join();
    settle(scene, rx);
    rx.forget_held();
    rx.measure_capacity();
}

// ---- entries that say too much or nothing

SCENARIO(refill, twice, "a buffer that is given back again later is not given out twice",
         Terms(kFlushNeeds).claims({"refill.twice"})) {
    ReceivePath rx(scene, kKeeping);
    tell_keeping(scene, rx);
    const std::vector<Reference> kept = receive_and_keep(rx, 1_MiB);
    tell_return(scene, rx, "as=twice");
    for (const bool again : {false, true}) {
        for (const Reference& reference : kept) {
            if (!again) record(scene, rx, reference);
            push(scene, rx, reference.offset, reference.length);
        }
        settle(scene, rx);
    }
    rx.measure_capacity();
}

SCENARIO(refill, twice_in_a_row,
         "a buffer that is given back twice in a row, and flushed, is given back once",
         Terms(kFlushNeeds).claims({"refill.twice"})) {
    ReceivePath rx(scene, kKeeping);
    tell_keeping(scene, rx);
    const std::vector<Reference> kept = receive_and_keep(rx, 1_MiB);
    tell_return(scene, rx, "as=twice");
    for (const Reference& reference : kept) {
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
        push(scene, rx, reference.offset, reference.length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

struct Nonsense {
    const char* name;
    // The offset and padding of an entry that means nothing, for an area of so many bytes.
    Reference (*offset)(uint64_t area, const Reference& held);
    const char* as;  // what "return" calls it
    uint32_t padding = 0;
};
const Nonsense kNonsense[] = {
    {"area_1",
     [](uint64_t, const Reference& r) {
         return Reference{r.offset | 1ULL << 48, 0};
     },
     "bad_area"},
    {"area_65535",
     [](uint64_t, const Reference& r) {
         return Reference{r.offset | 0xffffULL << 48, 0};
     },
     "bad_area"},
    {"behind_the_area",
     [](uint64_t area, const Reference&) {
         return Reference{area, 0};
     },
     "bad_index"},
    {"far_behind_the_area",
     [](uint64_t, const Reference&) {
         return Reference{(1ULL << 48) - 1, 0};
     },
     "bad_index"},
    {"all_ones",
     [](uint64_t, const Reference&) {
         return Reference{UINT64_MAX, UINT32_MAX};
     },
     "bad_area"},
    {"padding", [](uint64_t, const Reference& r) { return r; }, "bad_padding", 1},
    {"padding_high", [](uint64_t, const Reference& r) { return r; }, "bad_padding", 1U << 31},
};

SCENARIO_TABLE(refill, invalid,
               "an entry that names no buffer is used up without effect, and the next ones count",
               Terms(kFlushNeeds).claims({"refill.invalid-ignored"}), kNonsense, row) {
    constexpr uint64_t kFirst = 300000, kMore = 4000000;
    ReceivePathOptions options = kKeeping;
    options.ifq.area_size = area_to_hold(scene, kFirst + kMore, kAreaSize);
    ReceivePath rx(scene, options);
    std::vector<Reference> kept = receive_and_keep(rx, kFirst);
    const auto push_wrong = [&](const Reference& reference) {
        const Reference wrong = row.offset(rx.ifq().area().size(), reference);
        push(scene, rx, wrong.offset, wrong.length, row.padding);
    };
    // By themselves at first: had one let a buffer go, so many bytes would be received into it,
    // too.
    for (const Reference& reference : kept) push_wrong(reference);
    settle(scene, rx);
    const std::string told = std::string("count=64 as=") + row.as;
    tell_return(scene, rx, told);
    for (const Reference& more : receive_and_keep(rx, kMore)) kept.push_back(more);
    tell_return(scene, rx, told);
    for (const Reference& reference : kept) {
        push_wrong(reference);
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

// All are held, the first one, too, and nothing is free.
SCENARIO(refill, invalid_while_all_are_held,
         "an entry right behind the area gives back none of the buffers that are held",
         Terms(kFlushNeeds).claims({"refill.invalid-ignored"})) {
    const size_t area = scene.has_device() ? 8_MiB : 256_KiB;
    ReceivePath rx(scene,
                   {.ifq = {.area_size = area}, .receiver = {.returns = ReturnPolicy::kNever}});
    const LocalStream local(scene, rx, {.bytes = area + 2_MiB});
    const StreamState& state = rx.receiver().state(local.stream());
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    const uint64_t before = state.bytes;
    push(scene, rx, rx.ifq().area().size(), 0);
    settle(scene, rx);
    scene.must(rx.receiver().arm(local.stream()));
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(state.bytes, before) << "An entry behind the area gave a buffer back.";
    scene.trace().add(CopiesExpected{rx.ifq().number(), state.bytes});
    rx.abandon();
}

SCENARIO(refill, not_held, "giving back every buffer that is not held changes nothing",
         Terms(kFlushNeeds).claims({"refill.invalid-ignored"})) {
    ReceivePath rx(scene, kKeeping);
    const std::vector<Reference> kept = receive_and_keep(rx, 300000);
    const uint32_t size = rx.ifq().buffer_size();
    std::vector<bool> held(rx.ifq().buffers(), false);
    for (const Reference& reference : kept) held[reference.offset / size] = true;
    for (uint64_t buffer = 0; buffer < held.size(); ++buffer)
        if (!held[buffer]) push(scene, rx, buffer * size, 0);
    settle(scene, rx);
    scene.done("# entries that name buffers which are not held");
    for (const Reference& reference : kept) {
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

struct Spelling {
    const char* name;
    uint32_t into;    // byte of the buffer
    uint32_t length;  // UINT32_MAX - 1 = that of the CQE
};
constexpr Spelling kSpellings[] = {
    {"first_byte", 0, 1},      {"second_byte", 1, 1}, {"middle", 2048, 1},
    {"last_byte", 4095, 1},    {"length_0", 0, 0},    {"length_too_long", 0, 65536},
    {"length_all", 4095, ~0U},
};

SCENARIO_TABLE(refill, spelling,
               "an entry with an offset anywhere in the buffer and any length gives it back",
               Terms(kFlushNeeds).claims({"refill.offset-anywhere", "refill.length-ignored"}),
               kSpellings, row) {
    ReceivePath rx(scene, kKeeping);
    const std::vector<Reference> kept = receive_and_keep(rx, 300000);
    const uint32_t size = rx.ifq().buffer_size();
    for (const Reference& reference : kept) {
        record(scene, rx, reference);
        push(scene, rx, reference.offset / size * size + row.into, row.length);
    }
    scene.done("# what an entry says of the offset in its buffer, and of a length");
    settle(scene, rx);
    rx.measure_capacity();
}

// ---- references

// A request with a length cuts the payload of a packet into several CQEs of one buffer.
SCENARIO(refill, several_references,
         "a buffer of several CQEs is used again only when each of them was given back",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kFlushRq}})
             .claims({"refill.one-reference"})) {
    ReceivePathOptions options = {.receiver = {.returns = ReturnPolicy::kNever, .limit = 300}};
    options.ifq.area_size = 8_MiB;
    ReceivePath rx(scene, options);
    const std::vector<Reference> kept = receive_and_keep(rx, 300000);
    const uint32_t size = rx.ifq().buffer_size();
    std::map<uint64_t, std::vector<Reference>> by_buffer;
    for (const Reference& reference : kept) by_buffer[reference.offset / size].push_back(reference);
    std::vector<Reference> last;
    size_t most = 0;
    for (const auto& [buffer, references] : by_buffer) {
        most = std::max(most, references.size());
        for (size_t i = 0; i + 1 < references.size(); ++i) {
            record(scene, rx, references[i]);
            push(scene, rx, references[i].offset, references[i].length);
        }
        last.push_back(references.back());
    }
    EXPECT_GT(most, 1U) << "no buffer had several references";
    settle(scene, rx);

    // More than the area holds goes past; nothing of it may land in what is still held.
    rx.return_at_once();
    bool reused = false;
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        reused |= by_buffer.contains(cqe.offset / size);
    };
    rx.connect({.bytes = 12_MiB});
    rx.receive_all();
    EXPECT_FALSE(reused) << "a buffer was used again while one reference was missing";
    rx.receiver().on_data = {};
    for (const Reference& reference : last) {
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
    }
    settle(scene, rx);
    rx.measure_capacity();
}

SCENARIO(refill, long_hold,
         "buffers held while the rest of the area is used several times stay as they are",
         Terms(kFlushNeeds).claims({"refill.after-hold"})) {
    ReceivePathOptions options = kKeeping;
    options.ifq.area_size = 8_MiB;
    ReceivePath rx(scene, options);
    const std::vector<Reference> kept = receive_and_keep(rx, 200000);
    const Pattern pattern(rx.seed(1));  // of the first stream
    rx.return_at_once();
    rx.connect({.bytes = 20_MiB});
    rx.receive_all();
    uint64_t position = 0;
    for (const Reference& reference : kept) {
        const auto payload = rx.ifq().payload(reference.offset, reference.length);
        ASSERT_FALSE(pattern.compare(payload, position)) << "position " << position << " changed";
        position += reference.length;
        record(scene, rx, reference);
        push(scene, rx, reference.offset, reference.length);
    }
    EXPECT_EQ(position, 200000U);
    settle(scene, rx);
    rx.measure_capacity();
}

// ---- after the end

SCENARIO(refill, after_close, "entries written after the ring was closed do no harm",
         Terms(Needs{.queues = 1}).claims({"teardown.held-buffers"})) {
    constexpr uint32_t kQueue = 1;
    std::optional<Ring> ring = scene.must(Ring::create());
    if (scene.has_device()) scene.prepare_nic();
    IfqOptions options;
    options.number = scene.next_ifq();
    options.interface = scene.has_device() ? scene.endpoints().interface : std::string();
    options.queue = scene.has_device() ? kQueue : 0;
    std::unique_ptr<Ifq> ifq = scene.must(Ifq::open(*ring, options, &scene.trace()));
    ring.reset();
    scene.trace().add(RingClosed{options.number});
    RefillRing& refill = ifq->refill();
    for (uint32_t i = 0; i < refill.entries(); ++i) refill.push_unchecked(uint64_t{i} * 4096, 4096);
    refill.publish();
    scene.done("# entries that are written after the ring was closed");
    if (scene.has_device()) scene.wait_for_release(kQueue);
    ifq.reset();
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::refill
