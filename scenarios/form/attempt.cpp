// Attempt: the refused call, and what is compared before and after it.
#include "scenarios/form/attempt.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "harness/net/counters.hpp"

namespace zcrxlab {

namespace {

size_t open_descriptors() {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// Everything that a registration could write to.
struct Structures {
    uapi::ZcrxIfqReg registration;
    uapi::ZcrxAreaReg area;
    uapi::RegionDesc region;
    uapi::ZcrxEventDesc event;

    explicit Structures(const IfqRequest& request)
        : registration(request.registration),
          area(request.area),
          region(request.region),
          event(request.event) {}
};

template <typename T>
void expect_same(const T& before, const T& after, const char* name) {
    EXPECT_EQ(std::memcmp(&before, &after, sizeof(T)), 0)
        << "The refused registration wrote into the " << name << ".";
}

}  // namespace

IfqOptions small_ifq(Scene& scene) {
    IfqOptions options;
    options.number = scene.next_ifq();
    if (scene.has_device()) {
        scene.prepare_nic();
        options.interface = scene.endpoints().interface;
        options.queue = scene.next_queue();
    }
    options.area_size = kSmallArea;
    return options;
}

IfqOptions receiving_ifq(Scene& scene) {
    IfqOptions options = small_ifq(scene);
    if (scene.has_device()) options.area_size = 8U << 20;
    return options;
}

void expect_refused(Scene& scene, const std::string& what, const Bend& bend, int expected,
                    const RingOptions& ring_options, int otherwise) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create(ring_options));
        const std::unique_ptr<IfqRequest> request = scene.must(IfqRequest::prepare(options));
        BentRequest bent{scene, ring, *request, &request->registration};
        bend(bent);
        const Structures before(*request);
        const size_t descriptors = open_descriptors();
        const MemoryCounters memory = scene.must(read_memory_counters());

        const int seen = errno_of(register_raw(ring, bent.pointer, bent.count));
        const int promised = otherwise != 0 && seen == otherwise ? otherwise : expected;
        scene.returned("IORING_REGISTER_ZCRX_IFQ: " + what, promised, seen);

        if (seen != 0) {
            expect_same(before.registration, request->registration, "registration");
            expect_same(before.area, request->area, "area");
            expect_same(before.region, request->region, "region");
            expect_same(before.event, request->event, "event description");
        }
        EXPECT_EQ(open_descriptors(), descriptors) << "Descriptors were left behind.";
        const MemoryCounters after = scene.must(read_memory_counters());
        EXPECT_EQ(after.pinned_kb, memory.pinned_kb) << "Memory stays accounted as pinned.";
        EXPECT_EQ(after.locked_kb, memory.locked_kb) << "Memory stays locked.";
        // System-wide: the process before may still be letting go of some.
        EXPECT_LE(after.pinned_pages, memory.pinned_pages) << "Pages stay pinned.";
    }
    expect_registers(scene, options);
}

void expect_registers(Scene& scene, const IfqOptions& options, const RingOptions& ring_options) {
    {
        Ring ring = scene.must(Ring::create(ring_options));
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
    }
    scene.trace().add(RingClosed{options.number});
}

WithoutCapability::WithoutCapability(Scene& scene, uint32_t capability) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (syscall(SYS_capget, &header, data) != 0)
        scene.give_up(error_from_errno("read the capabilities").sentence);
    for (int i = 0; i < 2; ++i) {
        effective_[i] = data[i].effective;
        permitted_[i] = data[i].permitted;
        inheritable_[i] = data[i].inheritable;
    }
    data[0].effective &= ~(1U << capability);
    if (syscall(SYS_capset, &header, data) != 0)
        scene.give_up(error_from_errno("drop a capability").sentence);
}

WithoutCapability::~WithoutCapability() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    for (int i = 0; i < 2; ++i) data[i] = {effective_[i], permitted_[i], inheritable_[i]};
    syscall(SYS_capset, &header, data);
}

}  // namespace zcrxlab
