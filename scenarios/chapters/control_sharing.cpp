// Chapter control, instances that several rings have: what an exported descriptor keeps, where
// events go, and who may map the refill ring.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "harness/base/mapping.hpp"
#include "harness/net/counters.hpp"
#include "scenarios/chapters/copy_events.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/local_stream.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"

namespace zcrxlab::control_sharing {
namespace {

// ---- the queue

constexpr uint32_t kQueue = 1;
constexpr uint32_t kOther = 2;

// Closes a ring, and one behind it, until the memory of the latter is not pinned any more: a ring
// lets go of what it had in its time.
void close_and_wait(Scene& scene, std::optional<Ring>& ring) {
    const int64_t pinned = scene.must(read_memory_counters()).pinned_kb;
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = 16 * kPageSize;
    if (scene.has_device()) {
        options.interface = scene.endpoints().interface;
        options.queue = kOther;
    }
    ring.reset();
    {
        Ring later = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(later, options, &scene.trace()));
        EXPECT_GT(scene.must(read_memory_counters()).pinned_kb, pinned);
    }
    scene.trace().add(RingClosed{options.number});
    if (scene.has_device()) scene.wait_for_release(kOther);
    scene.wait_for("What a ring had pinned stays so.",
                   [&] { return scene.must(read_memory_counters()).pinned_kb <= pinned; });
}

SCENARIO(control, export_keeps_queue,
         "an exported instance keeps its queue without any ring, receives for who imports it then, "
         "and frees the queue, with what its importer held, when the last descriptor is closed",
         Terms(Needs{.where = Where::kDevice, .queues = 2, .features = {Feature::kExport}})
             .claims({"control.export-keeps-queue", "control.export-frees-queue"})) {
    IfqOptions options = receiving_ifq(scene);
    options.queue = kQueue;
    Fd box;
    {
        std::optional<Ring> exporter = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(*exporter, options, &scene.trace()));
        box = scene.must(ifq->export_box());
        close_and_wait(scene, exporter);
        EXPECT_TRUE(scene.must(scene.nic().netdev().receive_queue(kQueue)).io_uring)
            << "The queue is free, and a descriptor of its instance is open.";
        std::optional<Ring> importer = scene.must(Ring::create());
        const uint32_t id = scene.must(import_box(*importer, box.get()));
        ifq->control_through(*importer, id);
        {
            SingleThreadStream stream(scene, *importer, id, *ifq);
            stream.send_and_expect(20000);
            stream.keep_what_comes();
            stream.send_and_expect(20000);
        }
        close_and_wait(scene, importer);
    }
    EXPECT_TRUE(scene.must(scene.nic().netdev().receive_queue(kQueue)).io_uring)
        << "The queue is free, and a descriptor of its instance is open.";
    box.reset();
    scene.trace().add(RingClosed{options.number});
    scene.wait_for_release(kQueue);
}

// How a path's ring comes to an instance that another ring registers.
auto through_import(Scene& scene, Ring& exporter) {
    return
        [&](Ring& importer, std::unique_ptr<IfqRequest> request) -> Result<std::unique_ptr<Ifq>> {
            auto ifq = Ifq::open(exporter, std::move(request), &scene.trace());
            if (!ifq) return ifq;
            const Fd box = scene.must((*ifq)->export_box());
            const uint32_t id = scene.must(import_box(importer, box.get()));
            // The first instance of both rings.
            EXPECT_EQ(id, (*ifq)->zcrx_id());
            (*ifq)->control_through(importer, id);
            return ifq;
        };
}

struct SharingRings {
    const char* name;
    uint32_t format;  // of the CQEs of both rings: the trace has one
    Terms terms;
};
const SharingRings kSharingRings[] = {
    {"cqe32", uapi::kSetupCqe32, Needs{.queues = 2, .features = {Feature::kExport}}},
    {"mixed", uapi::kSetupCqeMixed,
     Needs{.queues = 2, .features = {Feature::kExport, Feature::kCqeMixed}}},
};

SCENARIO_TABLE(
    control, exporter_goes,
    "what an importer holds while the exporter's ring goes stays its own, and data goes on",
    Terms(Needs{.queues = 2, .features = {Feature::kExport}}).claims({"control.outlives-exporter"}),
    kSharingRings, row) {
    ReceivePathOptions options;
    options.ring.flags = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | row.format;
    std::optional<Ring> exporter = scene.must(Ring::create(options.ring));
    options.ifq.area_size = 16U << 20;
    options.receiver.returns = ReturnPolicy::kNever;
    options.open = through_import(scene, *exporter);
    options.queue = kQueue;
    ReceivePath rx(scene, options);
    rx.connect({.bytes = 8U << 20});
    rx.receive(1U << 20);
    close_and_wait(scene, exporter);
    rx.receive(7U << 20);
    rx.return_at_once();
    scene.must(rx.receiver().return_held());
    rx.receive_all();
}

// ---- events

const Needs kCopies{.features = {Feature::kNodev, Feature::kExport, Feature::kEvents}};

constexpr uint64_t kNop = 7;  // user_data

// Until its CQ has no room.
void fill_with_nops(Scene& scene, Ring& ring) {
    for (uint32_t i = 0; i < ring.cq_entries(); ++i) {
        io_uring_sqe& nop = *scene.must(ring.next_sqe());
        nop.opcode = uapi::kOpNop;
        nop.user_data = kNop;
    }
    scene.must(ring.submit());
    scene.must(ring.poll());
    if (!ring.full()) scene.give_up("The CQ has room behind as many requests.");
}

SCENARIO(
    control, events_of_imports,
    "what an importer receives raises events at the ring that registered, the importer may arm "
    "them, and when that ring is gone data goes on without them",
    Terms(kCopies).claims({"control.events-of-imports"})) {
    std::optional<Ring> exporter = scene.must(Ring::create());
    Ring importer = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(*exporter, copying_ifq(scene), &scene.trace()));
    const Fd box = scene.must(ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    ifq->control_through(importer, id);
    SingleThreadStream stream(scene, importer, id, *ifq);
    stream.send_and_expect(5000);
    expect_copy_event(completions_of(scene, *exporter));
    stream.send_and_expect(5000);
    EXPECT_TRUE(completions_of(scene, *exporter).empty()) << "An event came without being armed.";
    scene.must(ifq->arm(uapi::ZcrxEvent::kCopy));
    stream.send_and_expect(5000);
    expect_copy_event(completions_of(scene, *exporter));
    scene.must(ifq->arm(uapi::ZcrxEvent::kCopy));
    exporter.reset();
    // It goes in its time, and may be told once more. From then on no event fires, so that there is
    // none to arm again.
    for (int i = 0; i < 8; ++i) {
        stream.send_and_expect(5000);
        static_cast<void>(ifq->arm(uapi::ZcrxEvent::kCopy));
    }
    EXPECT_TRUE(stream.take_other().empty()) << "The importer was told of an event.";
}

// The importer's CQ has room, and the other one has none.
SCENARIO(control, event_for_a_full_cq, "an event that finds a full CQ is told once there is room",
         Terms(kCopies).claims({"control.event-full-cq"})) {
    Ring exporter = scene.must(Ring::create({.sq_entries = 2, .cq_entries = 2}));
    Ring importer = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(exporter, copying_ifq(scene), &scene.trace()));
    const Fd box = scene.must(ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    ifq->control_through(importer, id);
    fill_with_nops(scene, exporter);
    SingleThreadStream stream(scene, importer, id, *ifq);
    stream.send_and_expect(5000);
    scene.must(exporter.poll());
    EXPECT_TRUE(exporter.keeps_back()) << "The event is nowhere.";
    std::vector<Completion> nops;
    exporter.reap(nops);
    for (const Completion& nop : nops) EXPECT_EQ(nop.user_data, kNop);
    expect_copy_event(completions_of(scene, exporter));
    EXPECT_EQ(exporter.lost(), 0U);
}

// The ring that registered has no room, and another one has the instance and its NIC.
SCENARIO(control, both_events,
         "a copy and a NIC without a buffer, while the CQ of the ring that registered is full, are "
         "told once each, in order, when there is room, and an importer may arm both again",
         Terms(Needs{.where = Where::kDevice,
                     .queues = 1,
                     .features = {Feature::kExport, Feature::kEvents}})
             .claims({"control.both-events"})) {
    using uapi::ZcrxEvent;
    Ring exporter = scene.must(Ring::create({.sq_entries = 2, .cq_entries = 2}));
    ReceivePathOptions options;
    options.receiver.returns = ReturnPolicy::kNever;
    options.ifq.area_size = 6U << 20;
    options.ifq.events = EventOptions{
        .user_data = kEventData,
        .types = 1U << static_cast<uint32_t>(ZcrxEvent::kAllocFail) |
                 1U << static_cast<uint32_t>(ZcrxEvent::kCopy),
    };
    options.open = through_import(scene, exporter);
    ReceivePath rx(scene, options);
    fill_with_nops(scene, exporter);
    const auto kept_back = [&] {
        scene.must(exporter.poll());
        return exporter.keeps_back();
    };
    {
        const LocalStream local(scene, rx, {.bytes = 1000});
        rx.receive_all();
    }
    scene.trace().add(CopiesExpected{rx.ifq().number(), 1000});
    EXPECT_TRUE(kept_back()) << "COPY is nowhere.";
    // It takes the only slot.
    std::vector<Completion> seen;
    exporter.reap(seen, 1);
    EXPECT_FALSE(kept_back()) << "COPY found no room where there is some.";
    const uint32_t stream = rx.connect({.bytes = 64U << 20, .end = PeerEnd::kReset});
    scene.must(rx.receiver().run(scene.time_left() / 2, kept_back));
    EXPECT_TRUE(kept_back()) << "ALLOC_FAIL is nowhere.";
    do scene.must(exporter.poll());
    while (exporter.reap(seen) != 0);
    ASSERT_EQ(seen.size(), 4U);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(seen[i].user_data, kNop);
    constexpr ZcrxEvent kInOrder[] = {ZcrxEvent::kCopy, ZcrxEvent::kAllocFail};
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(seen[2 + i].user_data, kEventData);
        EXPECT_EQ(seen[2 + i].result, static_cast<int32_t>(kInOrder[i]));
        EXPECT_EQ(seen[2 + i].flags, 0U);
        scene.must(rx.ifq().arm(kInOrder[i]));
    }
    rx.return_at_once();
    scene.must(rx.receiver().return_held());
    scene.must(rx.receiver().flush(rx.ifq()));
    rx.peer(stream).stop();
    EXPECT_EQ(exporter.lost(), 0U);
    EXPECT_TRUE(rx.receiver().take_other().empty()) << "The importer was told of an event.";
    rx.abandon();
}

// ---- the refill ring

constexpr uint64_t kRegionOffset = 0x30000000;  // IORING_MAP_OFF_ZCRX_REGION, and the id << 16

// The region of the instance that a ring calls `id`.
Result<Mapping> map_region(const Ring& ring, uint32_t id, size_t size) {
    return Mapping::map(size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd(),
                        static_cast<off_t>(kRegionOffset + (uint64_t{id} << 16)));
}

SCENARIO(
    control, region_through_import,
    "refill memory of the kernel can be mapped through each ring that has the instance, by the "
    "id that it has there, and stays when the others are gone",
    Terms(Needs{.features = {Feature::kNodev, Feature::kExport, Feature::kFlushRq}})
        .claims({"control.import-region"})) {
    std::optional<Ring> exporter = scene.must(Ring::create());
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = kSmallArea;
    options.rq_entries = 16;
    options.rq_memory_of_kernel = true;
    auto request = scene.must(IfqRequest::prepare(options));
    const size_t size = request->region.size;
    auto ifq = scene.must(Ifq::open(*exporter, std::move(request), &scene.trace()));
    Ring importer = scene.must(Ring::create());
    // So that the instance has another id there.
    IfqOptions first = options;
    first.number = scene.next_ifq();
    const auto in_front = scene.must(Ifq::open(importer, first, &scene.trace()));
    const Fd box = scene.must(ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    ASSERT_NE(id, ifq->zcrx_id());
    const uapi::ZcrxOffsets at = ifq->registration().offsets;
    Mapping seen = scene.must(map_region(importer, id, size));
    ASSERT_TRUE(ifq->refill().push(3 * kPageSize, 1, 1));
    ifq->refill().publish();
    const auto word = [&](uint32_t offset) {
        return __atomic_load_n(reinterpret_cast<uint32_t*>(seen.data() + offset), __ATOMIC_ACQUIRE);
    };
    EXPECT_EQ(word(at.tail), 1U) << "What the exporter wrote is not there.";
    const auto unknown = map_region(importer, id + 1, size);
    scene.returned("mmap of the region of no instance", EINVAL, unknown ? 0 : unknown.error().code);
    // The importer goes on alone.
    ifq.reset();
    exporter.reset();
    uapi::ZcrxCtrl control{};
    control.zcrx_id = id;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kFlushRq);
    scene.returned("FLUSH_RQ through the import", 0, -control_raw(importer, control));
    EXPECT_EQ(word(at.head), 1U) << "The kernel uses other memory.";
}

}  // namespace
}  // namespace zcrxlab::control_sharing
