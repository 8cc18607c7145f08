// A kernel image that was never one: enough of a bzImage for whoever reads its header.
#pragma once

#include <string>

namespace zcrxlab::fake {

// The first bytes of a bzImage that says it is `release`: one sector and four of set-up code.
std::string bzimage(const std::string& release);

}  // namespace zcrxlab::fake
