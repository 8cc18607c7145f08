// Sends and reads messages of the netlink family `devlink`.
#include "harness/net/eswitch.hpp"

#include <linux/devlink.h>
#include <linux/netlink.h>

#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {

Result<EswitchMode> eswitch_mode(const std::string& pci) {
    const std::string doing = "get the mode of the embedded switch of " + pci;
    auto socket = NetlinkSocket::open(NETLINK_GENERIC);
    if (!socket) return socket.error();
    const auto family = socket->family(DEVLINK_GENL_NAME);
    if (!family) return family.error();
    auto request =
        NetlinkRequest::generic(*family, DEVLINK_CMD_ESWITCH_GET, DEVLINK_GENL_VERSION, 0);
    request.put_string(DEVLINK_ATTR_BUS_NAME, "pci").put_string(DEVLINK_ATTR_DEV_NAME, pci);
    auto messages = socket->call(std::move(request), doing);
    if (!messages) return messages.error();
    if (messages->empty()) return Error{EBADMSG, doing + ": the kernel's answer holds nothing"};
    return decode_eswitch_mode(messages->front());
}

Result<EswitchMode> decode_eswitch_mode(const NetlinkMessage& message) {
    const auto attributes = message.attributes();
    if (!attributes) return attributes.error();
    const NetlinkAttribute* mode = find_attribute(*attributes, DEVLINK_ATTR_ESWITCH_MODE);
    if (mode == nullptr)
        return Error{EBADMSG, "devlink does not say the mode of the embedded switch"};
    const auto number = mode->u16();
    if (!number) return number.error();
    return *number == DEVLINK_ESWITCH_MODE_LEGACY ? EswitchMode::kLegacy : EswitchMode::kOther;
}

}  // namespace zcrxlab
