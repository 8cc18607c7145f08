// For programs without a machine under test. Some would never ask for one, but several sources
// compiled as one bring those that do.
#include "harness/targets/target.hpp"

namespace zcrxlab {

Result<std::unique_ptr<Target>> target_from_environment() {
    return Error{ENODEV, "There is no target here."};
}

}  // namespace zcrxlab
