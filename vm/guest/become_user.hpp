// Who a program of the guest is: given up being root before it starts.
#pragma once

#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// For a child between fork() and exec(). Anybody but root keeps CAP_NET_ADMIN, which zero-copy
// receive asks for. False with errno.
bool become_user(const GuestUser& user);

}  // namespace zcrxlab
