// The machine under test, for programs that have none: what they test asks for no target, but
// several sources compiled as one bring what does.
#include "harness/target/target.hpp"

namespace zcrxlab {

Result<std::unique_ptr<Target>> target_from_environment() {
    return Error{ENODEV, "A unit test has no target."};
}

}  // namespace zcrxlab
