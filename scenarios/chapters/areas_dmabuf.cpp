// Chapter areas, memory of dmabufs: what a udmabuf of a memfd receives, and what is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <string>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/local_stream.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/fail_nth.hpp"
#include "scenarios/framework/surroundings/kernel_objects.hpp"

namespace zcrxlab::areas_dmabuf {
namespace {

// A dmabuf of all pages of the memfd behind an area.
Fd make_dmabuf(Scene& scene, const AreaMemory& memory) {
    const auto failed = [&scene](const char* doing) {
        scene.must(Result<void>(error_from_errno(doing)));
    };
    if (::fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) failed("seal a memfd");
    const Fd maker(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
    if (!maker) failed("open /dev/udmabuf (a kernel with CONFIG_UDMABUF has it)");
    udmabuf_create create{};
    create.memfd = static_cast<uint32_t>(memory.fd());
    create.flags = UDMABUF_FLAGS_CLOEXEC;
    create.size = memory.size();
    Fd dmabuf(::ioctl(maker.get(), UDMABUF_CREATE, &create));
    if (!dmabuf) failed("make a dmabuf of a memfd");
    return dmabuf;
}

void use(uapi::ZcrxAreaReg& area, int dmabuf, size_t size) {
    area.address = 0;
    area.length = size;
    area.flags = uapi::kAreaDmabuf;
    area.dmabuf_fd = static_cast<uint32_t>(dmabuf);
}

// What receives into a dmabuf, which `dmabuf` keeps. The area that is judged is the memfd: its
// pages are those of the dmabuf, which stay where they are for as long as it exists.
ReceivePathOptions into_dmabuf(Scene& scene, Fd& dmabuf) {
    ReceivePathOptions options;
    options.ifq.area_kind = AreaKind::kMemfd;
    options.ifq.area_size = 6U << 20;
    options.open = [&](Ring& ring, std::unique_ptr<IfqRequest> request) {
        dmabuf = make_dmabuf(scene, request->area_memory);
        use(request->area, dmabuf.get(), request->area_memory.size());
        return Ifq::open(ring, std::move(request), &scene.trace());
    };
    return options;
}

SCENARIO(areas, dmabuf, "a dmabuf receives a stream from the NIC without a copy",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"areas.dmabuf"})) {
    constexpr uint64_t kBytes = 2U << 20;
    Fd dmabuf;
    ReceivePath rx(scene, into_dmabuf(scene, dmabuf));
    rx.connect({.bytes = kBytes});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), kBytes);
    rx.measure_capacity();
}

// The kernel cannot write to it, so that what only a copy could bring stays in the socket.
SCENARIO(areas, dmabuf_takes_no_copy,
         "data that could only be copied into a dmabuf ends its request with -ENOMEM or -EFAULT, "
         "and the queue goes on",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"areas.dmabuf"})) {
    constexpr uint64_t kBytes = 1U << 20;
    Fd dmabuf;
    ReceivePathOptions options = into_dmabuf(scene, dmabuf);
    options.receiver.rearm = false;
    ReceivePath rx(scene, options);
    const LocalStream local(scene, rx, {.bytes = 30000});
    // Linux before 6.18 said -EFAULT.
    for (const int result : {-ENOMEM, -EFAULT})
        scene.trace().add(EndMeant{local.stream(), result, "nothing can be copied into a dmabuf"});
    rx.receive_until_end(local.stream());
    const StreamState& state = rx.receiver().state(local.stream());
    EXPECT_TRUE(state.final_result == -ENOMEM || state.final_result == -EFAULT)
        << "The request ended with " << state.final_result;
    EXPECT_EQ(state.bytes, 0U);
    rx.connect({.bytes = kBytes, .end = PeerEnd::kIdle});
    rx.receive(kBytes);
    rx.abandon();
}

struct Refusal {
    const char* name;
    int expected;
    void (*bend)(uapi::ZcrxAreaReg&, const AreaMemory&);
};
constexpr Refusal kRefusals[] = {
    {"no_descriptor", EBADF, [](auto& area, const auto&) { area.dmabuf_fd = 1000000; }},
    {"descriptor_of_a_memfd", EINVAL,
     [](auto& area, const auto& memory) { area.dmabuf_fd = static_cast<uint32_t>(memory.fd()); }},
    {"an_offset", EINVAL, [](auto& area, const auto&) { area.address = kPageSize; }},
    {"shorter_than_it_is", EINVAL, [](auto& area, const auto&) { area.length -= kPageSize; }},
    {"longer_than_it_is", EINVAL, [](auto& area, const auto&) { area.length += kPageSize; }},
};

SCENARIO_TABLE(areas, dmabuf_with, "a dmabuf that is described wrongly is refused",
               Terms(Needs{.where = Where::kDevice}).claims({"areas.dmabuf"}), kRefusals, row) {
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kMemfd, kSmallArea));
    const Fd dmabuf = make_dmabuf(scene, memory);
    expect_refused(
        scene, std::string("a dmabuf area with ") + row.name,
        [&](BentRequest& bent) {
            use(bent.request.area, dmabuf.get(), kSmallArea);
            row.bend(bent.request.area, memory);
        },
        row.expected);
}

// The kinds of the area that is there and of the one that is added to it. Nothing but the mixture
// is wrong with any of them, as the last row shows.
constexpr uint32_t kTimes = 128;
struct Kinds {
    const char* name;
    bool first_is_dmabuf, added_is_dmabuf;
    int expected;
};
constexpr Kinds kKinds[] = {
    {"dmabuf_to_memory", false, true, EINVAL},
    {"memory_to_dmabuf", true, false, EINVAL},
    {"dmabuf_to_dmabuf", true, true, 0},
};

SCENARIO_TABLE(areas, add,
               "an area of another kind than the first is not added, and leaves nothing",
               Terms(Needs{.where = Where::kDevice, .features = {Feature::kAddArea}})
                   .claims({"control.add-area-refused"}),
               kKinds, row) {
    IfqOptions options = small_ifq(scene);
    options.area_kind = AreaKind::kMemfd;
    Ring ring = scene.must(Ring::create());
    auto request = scene.must(IfqRequest::prepare(options));
    Fd first;
    if (row.first_is_dmabuf) {
        first = make_dmabuf(scene, request->area_memory);
        use(request->area, first.get(), request->area_memory.size());
    }
    const auto ifq = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));

    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kMemfd, kSmallArea));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    Fd added;
    if (row.added_is_dmabuf) {
        added = make_dmabuf(scene, memory);
        use(area, added.get(), memory.size());
    }
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq->zcrx_id();
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    const std::string call = std::string("ADD_AREA of ") + row.name;
    const uapi::ZcrxAreaReg asked = area;
    scene.returned(call, row.expected, errno_of(control_raw(ring, control)));
    if (row.expected == 0) return;
    expect_leaves_no_objects(scene, call, kTimes, [&] {
        area = asked;  // its token was written to
        ASSERT_EQ(errno_of(control_raw(ring, control)), row.expected);
    });
}

// Far more than adding an area has steps; an end that is never reached is a failure.
constexpr uint32_t kMostSteps = 200;

SCENARIO(areas, dmabuf_each_step_fails,
         "adding a dmabuf whose n-th allocation fails is refused and leaves no reference to it, "
         "whatever n is",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kFailNth, Feature::kAddArea}})
             .claims({"areas.dmabuf", "control.failing"})) {
    IfqOptions options = small_ifq(scene);
    options.area_kind = AreaKind::kMemfd;
    Ring ring = scene.must(Ring::create());
    auto request = scene.must(IfqRequest::prepare(options));
    const Fd first = make_dmabuf(scene, request->area_memory);
    use(request->area, first.get(), request->area_memory.size());
    const auto ifq = scene.must(Ifq::open(ring, std::move(request), &scene.trace()));

    FailNth failing(scene);
    uint32_t refused = 0;
    for (uint32_t n = 1;; ++n) {
        ASSERT_LT(n, kMostSteps) << "Something fails at every step.";
        const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kMemfd, kSmallArea));
        const Fd added = make_dmabuf(scene, memory);
        uapi::ZcrxAreaReg area{};
        use(area, added.get(), memory.size());
        uapi::ZcrxCtrl control{};
        control.zcrx_id = ifq->zcrx_id();
        control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
        control.add.area = reinterpret_cast<uintptr_t>(&area);
        failing.arm(n);
        const int seen = errno_of(control_raw(ring, control));
        const bool failed = failing.disarm();
        if (!failed) {
            EXPECT_EQ(seen, 0);
            break;
        }
        if (seen == 0) continue;  // the kernel had another way
        ++refused;
        EXPECT_TRUE(FailNth::may_refuse_with(seen)) << "Step " << n << " was refused with " << seen;
    }
    EXPECT_GT(refused, 2U) << "Hardly anything failed, so hardly anything was tried.";
    scene.note(std::to_string(refused) + " steps were refused");
}

SCENARIO(areas, dmabuf_without_device, "a dmabuf without a device is refused",
         Terms(Needs{.features = {Feature::kNodev}}).claims({"areas.dmabuf"})) {
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kMemfd, kSmallArea));
    const Fd dmabuf = make_dmabuf(scene, memory);
    IfqOptions options;
    options.area_size = kSmallArea;
    options.rq_entries = 16;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    use(request->area, dmabuf.get(), kSmallArea);
    scene.returned("IORING_REGISTER_ZCRX_IFQ of a dmabuf without a device", EINVAL,
                   errno_of(register_raw(ring, &request->registration)));
}

}  // namespace
}  // namespace zcrxlab::areas_dmabuf
