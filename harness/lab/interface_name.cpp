// Renames an interface with the ioctl SIOCSIFNAME (netdevice(7)).
#include "harness/lab/interface_name.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

#include "harness/base/fd.hpp"

namespace zcrxlab {

Result<void> rename_interface(const std::string& name, const std::string& wanted) {
    ifreq request{};
    if (name.size() >= IFNAMSIZ || wanted.size() >= IFNAMSIZ)
        return Error{EINVAL, "\"" + wanted + "\" is no name of an interface."};
    std::memcpy(request.ifr_name, name.data(), name.size());
    std::memcpy(request.ifr_newname, wanted.data(), wanted.size());
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || ::ioctl(socket.get(), SIOCSIFNAME, &request) != 0)
        return error_from_errno("rename " + name + " to " + wanted);
    return {};
}

}  // namespace zcrxlab
