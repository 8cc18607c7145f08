// Asks the kernel, and tries registrations that are refused.
#include "scenarios/runner/feature_probe.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "harness/net/counters.hpp"
#include "harness/net/provider.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/surroundings/fail_function.hpp"
#include "scenarios/framework/surroundings/memory_cgroup.hpp"

namespace zcrxlab {

namespace {

constexpr std::chrono::seconds kReleaseBound{5};

// A kernel that knows the operation follows its pointers, which lead nowhere (EFAULT), or refuses
// the caller (EPERM); one that does not says EINVAL.
bool knows_zcrx() {
    Result<Ring> ring = Ring::create();
    if (!ring) return false;
    uapi::ZcrxIfqReg registration{};
    registration.rq_entries = 1;
    const int result = register_raw(*ring, &registration);
    return result == -EFAULT || result == -EPERM;
}

// Before 7.2 an area above 1 GiB is refused with EFAULT (io_uring/rsrc.c:io_buffer_validate); later
// one above 1 TiB with EINVAL. Asked with 2 TiB, neither looks at the memory. Who may not ask
// (EPERM) lacks something else.
bool takes_large_areas() {
    IfqOptions options;
    options.area_size = kPageSize;
    Result<Ring> ring = Ring::create();
    auto request = IfqRequest::prepare(options);
    if (!ring || !request) return false;
    (*request)->area.length = uint64_t{2} << 40;
    const int result = register_raw(*ring, &(*request)->registration);
    return result == -EINVAL || result == -EPERM;
}

bool knows_mixed_cqes() {
    RingOptions options;
    options.flags = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | uapi::kSetupCqeMixed;
    return Ring::create(options).ok();
}

// Waits until no more pages are pinned than `before`, within the bound.
void wait_for_pins(int64_t before) {
    const auto until = std::chrono::steady_clock::now() + scaled(kReleaseBound);
    while (std::chrono::steady_clock::now() < until) {
        const Result<MemoryCounters> now = read_memory_counters();
        if (!now || now->pinned_pages <= before) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

}  // namespace

std::vector<Feature> probe_features() {
    std::vector<Feature> features;
    const auto add = [&features](bool there, Feature feature) {
        if (there) features.push_back(feature);
    };
    add(knows_zcrx(), Feature::kZcrx);
    add(knows_mixed_cqes(), Feature::kCqeMixed);
    add(::access("/proc/thread-self/fail-nth", W_OK) == 0, Feature::kFailNth);
    add(can_fail(kPagePoolAllocation), Feature::kFailPagePool);
    add(can_make_memory_cgroups(), Feature::kMemoryCgroup);
    const Result<uapi::QueryZcrx> query = query_zcrx();
    if (!query) return features;  // before 6.19 there is nothing of what follows
    const auto has_control = [&query](uapi::ZcrxCtrlOp op) {
        return query->ctrl_opcodes > static_cast<uint32_t>(op);
    };
    const bool nodev = (query->register_flags & uapi::kRegNodev) != 0;
    add(nodev, Feature::kNodev);
    add(nodev && takes_large_areas(), Feature::kLargeArea);
    add(has_control(uapi::ZcrxCtrlOp::kFlushRq), Feature::kFlushRq);
    add(has_control(uapi::ZcrxCtrlOp::kExport), Feature::kExport);
    add(has_control(uapi::ZcrxCtrlOp::kArmEvent), Feature::kEvents);
    add(has_control(uapi::ZcrxCtrlOp::kAddArea), Feature::kAddArea);
    add((query->features & uapi::kFeatureRxPageSize) != 0, Feature::kRxBufferSize);
    return features;
}

std::optional<Error> why_no_zero_copy(const std::string& interface, uint32_t queue) {
    const Result<MemoryCounters> before = read_memory_counters();
    IfqOptions options;
    options.interface = interface;
    options.queue = queue;
    options.area_size = 1U << 20;
    {
        Result<Ring> ring = Ring::create();
        if (!ring) return {};
        const auto ifq = Ifq::open(*ring, options);
        if (!ifq) {
            const int code = ifq.error().code;
            if (code == EOPNOTSUPP || code == ENODATA) return ifq.error();
            return {};
        }
    }
    // A queue that stays taken fails the scenarios that want it.
    [[maybe_unused]] const auto released =
        wait_for_release(interface, queue, scaled(kReleaseBound));
    // The pages go behind the queue, and are none of the first scenario's.
    if (before) wait_for_pins(before->pinned_pages);
    return {};
}

}  // namespace zcrxlab
