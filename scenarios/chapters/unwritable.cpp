// Chapters registration and control: answers that the kernel cannot write into the caller's memory,
// and arguments that it cannot read there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "harness/base/mapping.hpp"
#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"

namespace zcrxlab::unwritable {
namespace {

// A structure that the kernel can read and not write.
template <typename T>
class ReadOnly {
  public:
    ReadOnly(Scene& scene, const T& value) {
        page_ = scene.must(Mapping::anonymous(kPageSize));
        std::memcpy(page_.data(), &value, sizeof value);
        if (::mprotect(page_.data(), kPageSize, PROT_READ) != 0)
            scene.give_up(error_from_errno("make a page read-only").sentence);
    }
    T* get() const { return reinterpret_cast<T*>(page_.data()); }
    uint64_t address() const { return reinterpret_cast<uintptr_t>(page_.data()); }

  private:
    Mapping page_;
};

size_t open_descriptors() {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// The number that the next descriptor has: a number that was reserved and forgotten is not free,
// and no descriptor is open at it.
int next_descriptor(Scene& scene) {
    const int next = ::fcntl(0, F_DUPFD_CLOEXEC, 0);
    if (next < 0) scene.give_up(error_from_errno("find the next descriptor").sentence);
    ::close(next);
    return next;
}

// ---- registration

struct Answer {
    const char* name;  // of the structure that cannot be written to
};
constexpr Answer kAnswers[] = {{"registration"}, {"region"}, {"area"}};

// The kernel finds out at the very end, when the queue is taken and the area is pinned.
SCENARIO_TABLE(registration, answer_unwritable,
               "a registration whose answer cannot be written is refused and leaves nothing",
               Terms(Needs{}).claims({"registration.unwritable"}), kAnswers, row) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        ReadOnly<uapi::RegionDesc> region(scene, request->region);
        ReadOnly<uapi::ZcrxAreaReg> area(scene, request->area);
        const std::string_view which = row.name;
        if (which == "region") request->registration.region = region.address();
        if (which == "area") request->registration.area = area.address();
        ReadOnly<uapi::ZcrxIfqReg> registration(scene, request->registration);
        uapi::ZcrxIfqReg* const argument =
            which == "registration" ? registration.get() : &request->registration;

        const size_t descriptors = open_descriptors();
        const MemoryCounters before = scene.must(read_memory_counters());
        scene.returned("IORING_REGISTER_ZCRX_IFQ with a read-only " + std::string(which), EFAULT,
                       errno_of(register_raw(ring, argument)));
        EXPECT_EQ(open_descriptors(), descriptors) << "Descriptors were left behind.";
        const MemoryCounters after = scene.must(read_memory_counters());
        EXPECT_EQ(after.pinned_kb, before.pinned_kb) << "Memory stays accounted as pinned.";
        EXPECT_EQ(after.locked_kb, before.locked_kb) << "Memory stays locked.";
        // The ring is still there: what has to be given back was given back by the refusal.
        if (scene.has_device()) scene.wait_for_release(options.queue);
    }
    expect_registers(scene, options);
}

// ---- control

// A registered instance with a small area; its ring is closed at the end.
struct Registered {
    explicit Registered(Scene& scene)
        : ring(scene.must(Ring::create())),
          ifq(scene.must(Ifq::open(ring, small_ifq(scene), &scene.trace()))) {}

    Ring ring;
    std::unique_ptr<Ifq> ifq;
};

uapi::ZcrxCtrl control_for(const Ifq& ifq, uapi::ZcrxCtrlOp op) {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq.zcrx_id();
    control.op = static_cast<uint32_t>(op);
    return control;
}

SCENARIO(control, export_unwritable,
         "an export whose descriptor cannot be told is refused and leaves none",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.unwritable"})) {
    Registered there(scene);
    ReadOnly<uapi::ZcrxCtrl> control(scene, control_for(*there.ifq, uapi::ZcrxCtrlOp::kExport));
    const size_t descriptors = open_descriptors();
    const int next = next_descriptor(scene);
    scene.returned("ZCRX_CTRL_EXPORT into read-only memory", EFAULT,
                   errno_of(control_raw(there.ring, *control.get())));
    EXPECT_EQ(open_descriptors(), descriptors) << "A descriptor was left behind.";
    EXPECT_EQ(next_descriptor(scene), next) << "A number without a descriptor was left behind.";
    scene.must(there.ifq->export_box());
}

// Lets this process have no descriptor more than it has.
class NoDescriptorLeft {
  public:
    explicit NoDescriptorLeft(Scene& scene) {
        if (::getrlimit(RLIMIT_NOFILE, &before_) != 0)
            scene.give_up(error_from_errno("read the limit of descriptors").sentence);
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(next_descriptor(scene));
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~NoDescriptorLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptorLeft(const NoDescriptorLeft&) = delete;
    NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

  private:
    rlimit before_{};
};

SCENARIO(control, export_without_descriptor, "an export of a process at its limit is EMFILE",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.export-descriptor"})) {
    Registered there(scene);
    uapi::ZcrxCtrl control = control_for(*there.ifq, uapi::ZcrxCtrlOp::kExport);
    int seen = 0;
    {
        const NoDescriptorLeft none(scene);
        seen = errno_of(control_raw(there.ring, control));
    }
    scene.returned("ZCRX_CTRL_EXPORT without a free descriptor", EMFILE, seen);
    scene.must(there.ifq->export_box());
}

SCENARIO(control, import_unwritable,
         "an import whose id cannot be told is refused, and works where it can be",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.unwritable"})) {
    Registered there(scene);
    Ring importer = scene.must(Ring::create());
    const Fd box = scene.must(there.ifq->export_box());
    uapi::ZcrxIfqReg registration{};
    registration.flags = uapi::kRegImport;
    registration.interface = static_cast<uint32_t>(box.get());
    ReadOnly<uapi::ZcrxIfqReg> fixed(scene, registration);
    scene.returned("an import into read-only memory", EFAULT,
                   errno_of(register_raw(importer, fixed.get())));
    EXPECT_EQ(scene.must(import_box(importer, box.get())), 0U) << "The first id is still taken.";
}

SCENARIO(control, area_unwritable,
         "an added area whose token cannot be told is refused, and its id is given out later",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.unwritable"})) {
    Registered there(scene);
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    ReadOnly<uapi::ZcrxAreaReg> fixed(scene, area);
    uapi::ZcrxCtrl control = control_for(*there.ifq, uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = fixed.address();
    const MemoryCounters before = scene.must(read_memory_counters());
    scene.returned("ADD_AREA with a read-only area", EFAULT,
                   errno_of(control_raw(there.ring, control)));
    EXPECT_EQ(scene.must(read_memory_counters()).pinned_kb, before.pinned_kb);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    scene.returned("ADD_AREA", 0, errno_of(control_raw(there.ring, control)));
    EXPECT_EQ(area.token, there.ifq->area_token(1));
}

SCENARIO(control, area_unreadable,
         "an added area whose description cannot be read is refused, and takes no id",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.unreadable"})) {
    Registered there(scene);
    Mapping unreadable = scene.must(Mapping::anonymous(kPageSize));
    if (::mprotect(unreadable.data(), kPageSize, PROT_NONE) != 0)
        scene.give_up(error_from_errno("make a page unreadable").sentence);
    uapi::ZcrxCtrl control = control_for(*there.ifq, uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(unreadable.data());
    scene.returned("ADD_AREA of an area that cannot be read", EFAULT,
                   errno_of(control_raw(there.ring, control)));
    AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea));
    EXPECT_EQ(scene.must(there.ifq->add_area(std::move(memory))), 1U)
        << "The refused one has taken an id.";
}

}  // namespace
}  // namespace zcrxlab::unwritable
