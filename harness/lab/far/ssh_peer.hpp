// SshPeer: the peer's port on another machine, reached over ssh.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/lab/far/ethernet_port.hpp"
#include "harness/lab/far/frame_stream.hpp"
#include "harness/lab/far/joint.hpp"

namespace zcrxlab {

// Where a peer is.
struct PeerPlace {
    std::string host;       // as ssh takes it; empty: this machine
    std::string interface;  // empty: the other machine finds out
    bool operator==(const PeerPlace&) const = default;
};

// Of "netns:eth1", "eth1", "ssh:root@lab2" or "ssh:root@lab2,eth1". In one namespace the kernel
// would take the short way between two addresses of its own, so the first two mean the same. EINVAL
// for anything else.
Result<PeerPlace> peer_place(std::string_view text);

class SshPeer {
  public:
    // Copies `program` (zcrx-peer) to the place, starts it, and hears which port it has. Nobody is
    // asked for a password. EHOSTUNREACH with what ssh said.
    static Result<std::unique_ptr<SshPeer>> connect(const PeerPlace& place,
                                                    const std::filesystem::path& program);
    SshPeer(const SshPeer&) = delete;
    SshPeer& operator=(const SshPeer&) = delete;
    // Ends the program there.
    ~SshPeer();

    const std::string& host() const { return host_; }
    // With what is against it.
    const FarPort& port() const { return port_; }
    // From here on the frames of both go to the other; once.
    Result<void> join(std::unique_ptr<EthernetPort> port);
    // Ends the program there and waits for it. Why the connection had ended before, if it had.
    std::optional<Error> part();

  private:
    explicit SshPeer(std::string host) : host_(std::move(host)) {}
    Result<void> start(const std::string& script);
    Result<void> send_program(const std::filesystem::path& program);
    Result<void> hear_hello();
    // What ssh has to say for itself, and what to type.
    Error not_started();
    // What ssh has printed, if anything.
    std::string complaint();
    void wait_for_end();

    std::string host_;
    FarPort port_;
    Fd stream_, words_;  // to ssh, and its standard error
    pid_t ssh_ = -1;
    std::unique_ptr<Joint> joint_;
};

// How ssh is called to run `script` on `host`: whatever the user's ssh_config says, it asks
// nothing, runs nothing here, and lends the other machine neither keys nor ports of this one.
std::vector<std::string> ssh_command(const std::string& host, const std::string& script);

// What runs on the other machine: writes the `size` bytes of the program from standard input to a
// file that can be run, and runs it.
std::string script_for(size_t size, const std::string& interface);

}  // namespace zcrxlab
