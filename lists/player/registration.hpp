// Registration: fills the kernel's structures with what an action says about an area and an ifq.
#pragma once

#include <memory>

#include "harness/ring/ifq.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// The memory of "area", "memory" and "repeat". EINVAL for an area that no machine of a test has.
Result<AreaMemory> memory_for(const Action& action);

// user_data of the events of an ifq.
inline constexpr uint64_t kEventData = uint64_t{0xe7e} << 48;

// A request with every "reg.", "area." and "region." of the action in its structures. `interface`
// empty: ZCRX_REG_NODEV.
Result<std::unique_ptr<IfqRequest>> request_for(const Action& action, uint32_t number,
                                                const std::string& interface, uint32_t queue);

}  // namespace zcrxlab
