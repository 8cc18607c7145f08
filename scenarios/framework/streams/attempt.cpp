// Attempt: the refused call, and what is compared before and after it.
#include "scenarios/framework/streams/attempt.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "harness/base/errno_name.hpp"
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

// The attempt as lines of a list of actions, as far as fields of the structures tell it. What is
// said of memory (holes, write protection) is not in any field.
void tell(Scene& scene, const BentRequest& bent, const Structures& before,
          const Structures& request, const IfqOptions& options, const RingOptions& ring,
          const std::string& what, int seen) {
    std::string fields;
    const auto tell_field = [&fields](std::string_view name, uint64_t was, uint64_t is) {
        if (was != is) fields += " " + std::string(name) + "=" + std::to_string(is);
    };
    const uapi::ZcrxIfqReg& reg = request.registration;
    tell_field("reg.flags", before.registration.flags, reg.flags);
    tell_field("reg.if_rxq", before.registration.queue, reg.queue);
    tell_field("reg.if_idx", before.registration.interface, reg.interface);
    tell_field("reg.rq_entries", before.registration.rq_entries, reg.rq_entries);
    tell_field("reg.zcrx_id", before.registration.zcrx_id, reg.zcrx_id);
    tell_field("reg.resv", before.registration.reserved[0], reg.reserved[0]);
    tell_field("reg.resv1", before.registration.reserved[1], reg.reserved[1]);
    tell_field("reg.area_ptr", before.registration.area, reg.area);
    tell_field("reg.region_ptr", before.registration.region, reg.region);
    const bool events = reg.event_desc == reinterpret_cast<uintptr_t>(&bent.request.event);
    if (!events) tell_field("reg.event_desc", before.registration.event_desc, reg.event_desc);
    tell_field("rx_buf_len", before.registration.rx_buf_len, reg.rx_buf_len);
    if (bent.pointer != &bent.request.registration)
        fields += " reg.arg=" + std::to_string(reinterpret_cast<uintptr_t>(bent.pointer));
    tell_field("reg.count", 1, bent.count);
    const uint64_t moved = request.area.address - before.area.address;
    if (moved < before.area.length)
        tell_field("area.offset", 0, moved);
    else
        tell_field("area.addr", before.area.address, request.area.address);
    tell_field("area.len", before.area.length, request.area.length);
    tell_field("area.token", before.area.token, request.area.token);
    tell_field("area.flags", before.area.flags, request.area.flags);
    tell_field("area.dmabuf_fd", before.area.dmabuf_fd, request.area.dmabuf_fd);
    tell_field("area.resv", before.area.reserved[0], request.area.reserved[0]);
    tell_field("area.resv1", before.area.reserved[1], request.area.reserved[1]);
    tell_field("region.addr", before.region.user_address, request.region.user_address);
    // Room for counters is part of a region with such.
    tell_field("region.size", events ? 0 : before.region.size, request.region.size);
    tell_field("region.flags", before.region.flags, request.region.flags);
    tell_field("region.id", before.region.id, request.region.id);
    tell_field("region.mmap_offset", before.region.mmap_offset, request.region.mmap_offset);
    if (events) {
        fields += " stats=yes event.type_mask=" + std::to_string(request.event.type_mask) +
                  " event.flags=" + std::to_string(request.event.flags) +
                  " event.stats_offset=" + std::to_string(request.event.stats_offset);
        tell_field("event.resv", 0, request.event.reserved[8]);
    }
    const std::string number = std::to_string(options.number);
    const std::string cqes = (ring.flags & uapi::kSetupCqe32) != 0      ? "32"
                             : (ring.flags & uapi::kSetupCqeMixed) != 0 ? "mixed"
                                                                        : "16";
    const bool defer = (ring.flags & uapi::kSetupDeferTaskrun) != 0;
    if (fields.empty() && cqes != "16" && defer && seen != 0)
        return scene.done("# no field says what was refused: " + what);
    scene.done("ring try_ring" + number + " sq=" + std::to_string(ring.sq_entries) + " cq=" +
               std::to_string(ring.cq_entries) + " cqes=" + cqes + (defer ? "" : " defer=no"));
    tell_registration(scene, "try" + number, "try_ring" + number, options, seen, fields);
    scene.done("close try_ring" + number);
}

}  // namespace

void tell_registration(Scene& scene, const std::string& name, const std::string& ring,
                       const IfqOptions& options, int promised, const std::string& fields) {
    scene.done(
        "register " + name + " ring=" + ring +
        (options.interface.empty() ? "" : " device=yes queue=" + std::to_string(options.queue)) +
        " area=" + std::to_string(options.area_size) + fields +
        " expect=" + (promised == 0 ? "success" : errno_name(promised)));
}

namespace {

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
        const Structures good(*request);
        bend(bent);
        const Structures before(*request);
        const size_t descriptors = open_descriptors();
        const MemoryCounters memory = scene.must(read_memory_counters());

        const int seen = errno_of(register_raw(ring, bent.pointer, bent.count));
        const int promised = otherwise != 0 && seen == otherwise ? otherwise : expected;
        scene.returned("IORING_REGISTER_ZCRX_IFQ: " + what, promised, seen);
        tell(scene, bent, good, before, options, ring_options, what, seen);

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
