// Changes the process's user, groups and capabilities.
#include "vm/guest/become_user.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <vector>

namespace zcrxlab {

bool become_user(const GuestUser& user) {
    std::vector<gid_t> groups(user.groups.begin(), user.groups.end());
    if (::setgroups(groups.size(), groups.data()) != 0) return false;
    if (::setresgid(user.group, user.group, user.group) != 0) return false;
    if (user.user == 0) return ::setresuid(0, 0, 0) == 0;
    if (::prctl(PR_SET_KEEPCAPS, 1) != 0 || ::setresuid(user.user, user.user, user.user) != 0)
        return false;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    const uint32_t kept = 1U << CAP_NET_ADMIN;
    sets[0] = {kept, kept, kept};
    return ::syscall(SYS_capset, &header, sets.data()) == 0 &&
           ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0) == 0;
}

}  // namespace zcrxlab
