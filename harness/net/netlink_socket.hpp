// NetlinkSocket: sends requests and collects their answers. It stays in the network namespace in
// which it was opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_message.hpp"

struct mnl_socket;

namespace zcrxlab {

class NetlinkSocket {
  public:
    // `protocol` is NETLINK_GENERIC, NETLINK_ROUTE or NETLINK_NETFILTER. Extended acknowledgements
    // and strict checks are switched on.
    static Result<NetlinkSocket> open(int protocol);

    // Sends the request and returns the messages that answer it. `doing` begins the sentence of an
    // error: "set the rings of eth1". ETIMEDOUT after 10 s without an answer.
    Result<std::vector<NetlinkMessage>> call(NetlinkRequest request, std::string_view doing);
    // Sends requests in one datagram, of which all happen or none (nfnetlink), and waits until
    // those that ask for it (NLM_F_ACK) were acknowledged.
    Result<void> call_together(std::vector<NetlinkRequest> requests, std::string_view doing);
    // Sends a request that nothing answers.
    Result<void> tell(NetlinkRequest request, std::string_view doing);
    // The messages of the next datagram that answer nothing. None came within `bound`: empty.
    Result<std::vector<NetlinkMessage>> hear(std::chrono::milliseconds bound,
                                             std::string_view doing);
    // Bytes that may wait in it. What finds no room is lost without a word.
    Result<void> set_room(int bytes);
    // The number of a generic netlink family; ENOENT if the kernel does not have it.
    Result<uint16_t> family(const std::string& name);

  private:
    struct Close {
        void operator()(mnl_socket* socket) const;
    };
    NetlinkSocket() = default;
    Result<std::vector<NetlinkMessage>> call_once(NetlinkRequest& request, std::string_view doing,
                                                  bool& interrupted);

    // The next datagram within `bound`; nothing if none came.
    Result<std::optional<std::vector<std::byte>>> receive(std::chrono::milliseconds bound,
                                                          std::string_view doing);
    // The same, of a request: ETIMEDOUT after 10 s.
    Result<std::vector<std::byte>> receive_answer(std::string_view doing);

    std::unique_ptr<mnl_socket, Close> socket_;
    uint32_t sequence_ = 0;
    std::map<std::string, uint16_t> families_;
};

}  // namespace zcrxlab
