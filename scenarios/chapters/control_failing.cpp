// Chapter control: each allocation of an operation fails in turn, on kernels that can be asked to.
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"
#include "scenarios/framework/surroundings/fail_nth.hpp"

namespace zcrxlab::control_failing {
namespace {

// Far more than an operation has steps; an end that is never reached is a failure.
constexpr uint32_t kMostSteps = 500;

struct Instance {
    Instance(Scene& scene, const IfqOptions& options)
        : ring(scene.must(Ring::create())),
          ifq(scene.must(Ifq::open(ring, options, &scene.trace()))) {}

    uapi::ZcrxCtrl control(uapi::ZcrxCtrlOp op) const {
        uapi::ZcrxCtrl control{};
        control.zcrx_id = ifq->zcrx_id();
        control.op = static_cast<uint32_t>(op);
        return control;
    }

    Ring ring;
    std::unique_ptr<Ifq> ifq;
};

// One call, with all that it needs made before; what it made goes with it.
struct Call {
    std::function<int()> make;                // its errno, or 0
    std::function<void()> succeeded = [] {};  // when nothing fails any more
};

Call exporting(Scene&, Instance& there) {
    return {[&there, box = std::make_shared<Fd>()] {
        uapi::ZcrxCtrl control = there.control(uapi::ZcrxCtrlOp::kExport);
        const int seen = errno_of(control_raw(there.ring, control));
        if (seen == 0) *box = Fd(static_cast<int>(control.box.fd));
        return seen;
    }};
}

Call importing(Scene& scene, Instance& there) {
    struct Importer {
        Fd box;
        Ring ring;
    };
    const auto importer = std::make_shared<Importer>(
        Importer{scene.must(there.ifq->export_box()), scene.must(Ring::create())});
    return {[importer] {
        const auto id = import_box(importer->ring, importer->box.get());
        return id ? 0 : id.error().code;
    }};
}

Call adding_area(Scene& scene, Instance& there) {
    struct Area {
        AreaMemory memory;
        uapi::ZcrxAreaReg registration{};
    };
    const auto area = std::make_shared<Area>(
        Area{scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea))});
    const auto add = [&there, area] {
        area->registration.address = reinterpret_cast<uintptr_t>(area->memory.data());
        area->registration.length = area->memory.size();
        uapi::ZcrxCtrl control = there.control(uapi::ZcrxCtrlOp::kAddArea);
        control.add.area = reinterpret_cast<uintptr_t>(&area->registration);
        return errno_of(control_raw(there.ring, control));
    };
    return {add, [&scene, &there, area] {
                scene.must(there.ifq->keep_area(std::move(area->memory), area->registration.token));
            }};
}

struct Operation {
    const char* name;
    Call (*prepare)(Scene&, Instance&);
    Terms terms;
};
const Operation kOperations[] = {
    {"export", exporting, Needs{.features = {Feature::kFailNth, Feature::kExport}}},
    {"import", importing, Needs{.features = {Feature::kFailNth, Feature::kExport}}},
    {"add_area", adding_area, Needs{.features = {Feature::kFailNth, Feature::kAddArea}}}};

SCENARIO_TABLE(control, each_step_fails,
               "an operation whose n-th allocation fails is refused and leaves nothing, whatever "
               "n is, and the instance goes on",
               Terms(Needs{}).claims({"control.failing"}), kOperations, row) {
    IfqOptions options = receiving_ifq(scene);
    {
        Instance there(scene, options);
        FailNth failing(scene);
        uint32_t refused = 0;
        for (uint32_t n = 1;; ++n) {
            ASSERT_LT(n, kMostSteps) << "Something fails at every step.";
            const Call call = row.prepare(scene, there);
            const MemoryCounters before = scene.must(read_memory_counters());
            failing.arm(n);
            const int seen = call.make();
            const bool failed = failing.disarm();
            if (seen == 0) call.succeeded();
            if (!failed) {
                EXPECT_EQ(seen, 0);
                break;
            }
            if (seen == 0) continue;  // the kernel had another way
            ++refused;
            EXPECT_TRUE(FailNth::may_refuse_with(seen))
                << "Step " << n << " was refused with " << seen;
            const MemoryCounters after = scene.must(read_memory_counters());
            EXPECT_LE(after.pinned_kb, before.pinned_kb) << "at step " << n;
            EXPECT_LE(after.locked_kb, before.locked_kb) << "at step " << n;
        }
        EXPECT_GT(refused, 0U) << "Nothing failed, so nothing was tried.";
        scene.note(std::to_string(refused) + " steps were refused");
        SingleThreadStream(scene, there.ring, there.ifq->zcrx_id(), *there.ifq)
            .send_and_expect(30000);
    }
    scene.trace().add(RingClosed{options.number});
    // A reference that a refused operation keeps would keep the queue.
    if (scene.has_device()) scene.wait_for_release(options.queue);
    options.number = scene.next_ifq();
    expect_registers(scene, options);
}

}  // namespace
}  // namespace zcrxlab::control_failing
