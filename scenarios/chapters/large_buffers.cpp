// Tries the smallest area.
#include "scenarios/chapters/large_buffers.hpp"

#include <cerrno>

#include "harness/ring/area.hpp"
#include "scenarios/framework/streams/attempt.hpp"

namespace zcrxlab {

IfqOptions large_ifq(uint32_t buffer) {
    return {.buffer_length = buffer,
            .area_kind = AreaKind::kHugePages,
            .area_size = kAreaOfLargeBuffers};
}

std::string why_not_buffers_of(Scene& scene, uint32_t buffer, uint32_t queue) {
    scene.prepare_nic();
    reserve_until_end(scene, 1);
    IfqOptions options = large_ifq(buffer);
    options.area_size = kHugePageSize;
    options.interface = scene.endpoints().interface;
    options.queue = queue;
    int seen = 0;
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        seen = errno_of(register_raw(ring, &request->registration));
    }
    if (seen == EOPNOTSUPP)
        return "needs a driver with receive buffers of " + std::to_string(buffer) +
               " bytes, and that of " + scene.endpoints().interface +
               " has none (EOPNOTSUPP); type: zcrxlab run --nic netdevsim";
    scene.wait_for_release(queue);
    // A queue that cannot be had is ERANGE as well, for whatever buffers.
    if (seen == ERANGE && buffer > 2 * kPageSize &&
        why_not_buffers_of(scene, 2 * kPageSize, queue).empty())
        return "needs a driver with receive buffers of " + std::to_string(buffer) +
               " bytes, and that of " + scene.endpoints().interface +
               " has only smaller ones (ERANGE); type: zcrxlab run --nic netdevsim";
    return {};
}

}  // namespace zcrxlab
