// NetlinkSocket: sends requests and collects their answers. It stays in the network namespace in
// which it was opened.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_message.hpp"

struct mnl_socket;

namespace zcrxlab {

class NetlinkSocket {
  public:
    // `protocol` is NETLINK_GENERIC or NETLINK_ROUTE. Extended acknowledgements and strict checks
    // are switched on.
    static Result<NetlinkSocket> open(int protocol);

    // Sends the request and returns the messages that answer it. `doing` begins the sentence of an
    // error: "set the rings of eth1". ETIMEDOUT after 10 s without an answer.
    Result<std::vector<NetlinkMessage>> call(NetlinkRequest request, std::string_view doing);
    // The number of a generic netlink family; ENOENT if the kernel does not have it.
    Result<uint16_t> family(const std::string& name);

  private:
    struct Close {
        void operator()(mnl_socket* socket) const;
    };
    NetlinkSocket() = default;
    Result<std::vector<NetlinkMessage>> call_once(NetlinkRequest& request, std::string_view doing,
                                                  bool& interrupted);

    std::unique_ptr<mnl_socket, Close> socket_;
    uint32_t sequence_ = 0;
    std::map<std::string, uint16_t> families_;
};

}  // namespace zcrxlab
