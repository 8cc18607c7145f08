// Renames an interface.
#pragma once

#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Of this namespace. The interface has to be down: else EBUSY. EEXIST if another one has the name.
Result<void> rename_interface(const std::string& name, const std::string& wanted);

}  // namespace zcrxlab
