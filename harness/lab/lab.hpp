// Lab: a real NIC of this machine and its peer, from looking to a state in which scenarios run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/driver_table.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/far/ssh_peer.hpp"
#include "harness/lab/journal.hpp"
#include "harness/lab/network.hpp"
#include "harness/lab/settings.hpp"
#include "harness/net/link.hpp"
#include "harness/targets/target.hpp"

namespace zcrxlab {

struct LabOrder {
    std::string nic;                     // interface under test
    PeerPlace peer;                      // the other end of its cable
    std::filesystem::path peer_program;  // zcrx-peer, where that is on another machine
    uint32_t first_queue = 1;            // zero-copy receive takes this one and those behind it
};

class Lab {
  public:
    // Something that will be done, as a person would type it.
    struct Step {
        std::string command;
        std::function<Result<void>()> run;
    };

    // Reads everything, changes nothing; a peer on another machine is called, and stays. ENODEV,
    // EINVAL for what cannot be a pair of ports, EHOSTUNREACH.
    static Result<Lab> look(const LabOrder& order);

    // Lines for people: what the ports are, and what their settings.
    std::vector<std::string> description() const;
    // Why the ports must not or cannot be taken; empty if they can.
    std::vector<std::string> refusals() const;
    // What will be done, in order.
    const std::vector<Step>& steps() const { return steps_; }

    Journal journal() const;
    // What the scenarios are told.
    Endpoints endpoints() const;

    // Waits behind the last step for the link of both ports, and until each of the peer's addresses
    // reaches that of the port under test. ETIMEDOUT says what to look at.
    Result<void> wait_for_link() const;
    // Ends what runs for us on another machine. Why that had ended before, if it had.
    std::optional<Error> part_from_peer();

  private:
    struct Port {
        PortFacts facts;
        NicSettings settings;
        std::vector<std::string> snapshot;
        const DriverRow* driver = nullptr;
        std::string room;  // for queues and rings: "4 of at most 16 queues, ..."
    };
    Lab() = default;
    static Result<Port> look_at(const std::string& interface);
    std::vector<const Port*> local_ports() const;
    void plan();
    void plan_peer();
    void plan_port();            // of this machine, goes into the namespace
    void plan_joint();           // of a TAP in the namespace with the port on another machine
    void add_mtu(uint32_t mtu);  // of the peer, in bytes
    void add_inside(const std::string& command, std::function<Result<void>(Links&)> work);
    Result<void> wait_for_carrier() const;
    Result<void> wait_for_addresses() const;

    LabOrder order_;
    Port nic_;
    std::optional<Port> peer_;      // of this machine, or
    std::unique_ptr<SshPeer> far_;  // of another one
    std::string peer_name_;         // its interface in the namespace
    MachineFacts machine_;
    std::optional<LabNetwork> network_;
    std::string namespace_;  // path
    std::vector<Step> steps_;
};

}  // namespace zcrxlab
