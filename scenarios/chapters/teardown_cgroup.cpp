// Chapter teardown: what is charged for areas to the memory cgroup of their process.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"
#include "scenarios/framework/surroundings/memory_cgroup.hpp"

namespace zcrxlab::teardown_cgroup {
namespace {

using namespace std::chrono_literals;

constexpr auto kBound = 5s;  // for what is freed later, on a machine of the usual speed

// Without a device, whose driver allocates, too.
const Needs kWithoutDevice{.where = Where::kNodev,
                           .memory = 100_MiB,
                           .features = {Feature::kNodev, Feature::kMemoryCgroup}};

// Runs it in a process that is alone in a cgroup.
void in_own_cgroup(Scene& scene, const std::function<void(Scene&, const MemoryCgroup&)>& body) {
    const MemoryCgroup group(scene);
    const pid_t child = fork_scene([&](Scene& own) {
        group.enter(own);
        body(own, group);
    });
    ASSERT_GE(child, 0);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "The process in the cgroup failed.";
}

IfqOptions deviceless(Scene& scene) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = kSmallArea;
    options.rq_entries = 16;
    return options;
}

// ---- the arrays of an area

// A power of two, as each array then takes as much from either of the kernel's allocators.
constexpr int64_t kBuffers = 32768;
// Of each: its net_iov, which has 64 bytes since ZCRX_REG_NODEV exists, the pointer to its page,
// its place in the list of free ones, and the count of the user's references to it.
constexpr int64_t kBytesOfBuffer = 64 + 8 + 4 + 4;
// What the process takes and gives back beside. The smallest of the arrays has twice as much.
constexpr int64_t kBeside = kBuffers * 4 / 2;

// One huge page again and again: nearly all that it takes are the arrays.
std::unique_ptr<IfqRequest> with_many_buffers(Scene& scene) {
    auto request = scene.must(IfqRequest::prepare(deviceless(scene)));
    repeat_huge_pages(scene, *request, 1, kBuffers * kPageSize);
    // The page tables are charged, too. They are made now, and not when the kernel pins the pages.
    const std::span<std::byte> area = request->area_memory.bytes();
    for (size_t at = 0; at < area.size(); at += kHugePageSize) area[at] = std::byte{1};
    return request;
}

SCENARIO(
    teardown, charged_to_cgroup,
    "what the kernel allocates for an area is charged to the memory cgroup of its process, and "
    "given back with its ring",
    Terms(kWithoutDevice).claims({"teardown.cgroup"})) {
    reserve_until_end(scene, 1);
    in_own_cgroup(scene, [](Scene& own, const MemoryCgroup& group) {
        auto request = with_many_buffers(own);
        const uint32_t number = request->options.number;
        const int64_t before = group.kernel_bytes(own);
        {
            Ring ring = own.must(Ring::create());
            const int64_t without = group.kernel_bytes(own);
            const auto ifq = own.must(Ifq::open(ring, std::move(request), &own.trace()));
            const int64_t charged = group.kernel_bytes(own) - without;
            own.note(std::to_string(charged) + " bytes are charged for " +
                     std::to_string(kBuffers) + " buffers");
            EXPECT_GE(charged, kBuffers * kBytesOfBuffer - kBeside)
                << "What the kernel has allocated for the area is not charged to the cgroup.";
        }
        own.trace().add(RingClosed{number});
        int64_t left = 0;
        own.becomes([&] { return (left = group.kernel_bytes(own) - before) <= kBeside; },
                    own.scaled(kBound));
        own.note(std::to_string(left) + " bytes are charged when the ring is closed");
        EXPECT_LE(left, kBeside) << "What was charged to the cgroup is not given back.";
    });
}

// ---- the list of an instance's areas

constexpr uint32_t kInstances = 8;
// The list has a pointer to each area, in memory of a power of two. With area 513 it takes 4096
// bytes more, and then no more than that for as many areas as an instance may have.
constexpr uint32_t kFewAreas = 512, kMoreAreas = 768, kMostAreas = 1024;
constexpr int64_t kListGrows = 4096;

void add_area(Scene& scene, Ring& ring, const Ifq& ifq, const AreaMemory& memory) {
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq.zcrx_id();
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    if (const int code = errno_of(control_raw(ring, control)); code != 0)
        scene.give_up(error_from_errno("add an area", code).sentence);
}

// Twice as many areas are added, and the list grows with the first half only.
SCENARIO(teardown, list_of_areas_charged_to_cgroup,
         "the list of an instance's areas is charged to the memory cgroup of its process",
         Terms(Needs{.where = Where::kNodev,
                     .memory = 100_MiB,
                     .features = {Feature::kNodev, Feature::kAddArea, Feature::kMemoryCgroup}})
             .claims({"teardown.cgroup"})) {
    in_own_cgroup(scene, [](Scene& own, const MemoryCgroup& group) {
        Ring ring = own.must(Ring::create());
        const AreaMemory page = own.must(AreaMemory::allocate(AreaKind::kAnonymous, kPageSize));
        std::vector<std::unique_ptr<Ifq>> instances;
        while (instances.size() < kInstances)
            instances.push_back(own.must(Ifq::open(ring, deviceless(own))));
        uint32_t areas = 1;
        const auto charged_with = [&](uint32_t wanted) {
            for (; areas < wanted; ++areas)
                for (const auto& ifq : instances) add_area(own, ring, *ifq, page);
            return group.kernel_bytes(own);
        };
        const int64_t few = charged_with(kFewAreas);
        const int64_t more = charged_with(kMoreAreas);
        const int64_t most = charged_with(kMostAreas);
        const int64_t of_lists = (more - few) - (most - more);
        own.note(std::to_string(of_lists) + " bytes more are charged for " +
                 std::to_string(kInstances) + " lists that grow, beside " +
                 std::to_string(most - more) + " for the areas in them");
        EXPECT_GE(of_lists, kInstances * kListGrows / 2)
            << "The list of the areas is not charged to the cgroup.";
    });
}

}  // namespace
}  // namespace zcrxlab::teardown_cgroup
