// Lab: a real NIC of this machine and its peer, from looking to a state in which scenarios run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/driver_table.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/journal.hpp"
#include "harness/lab/network.hpp"
#include "harness/lab/settings.hpp"
#include "harness/target/target.hpp"

namespace zcrxlab {

struct LabOrder {
    std::string nic;           // interface under test
    std::string peer;          // the other port, which gets a namespace of its own
    uint32_t first_queue = 1;  // zero-copy receive takes this one and those behind it
};

// The interface of "netns:eth1" or "eth1": in one namespace the kernel would take the short way
// between two addresses of its own, so both mean the same. EINVAL for anything else.
Result<std::string> peer_interface(const std::string& peer);

class Lab {
  public:
    // Something that will be done, as a person would type it.
    struct Step {
        std::string command;
        std::function<Result<void>()> run;
    };

    // Reads everything, changes nothing. ENODEV, EINVAL for what cannot be a pair of ports.
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

    // Waits for the link of both ports behind the last step. ETIMEDOUT says what to look at.
    Result<void> wait_for_link() const;

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
    void plan();
    void plan_peer();

    LabOrder order_;
    Port nic_, peer_;
    MachineFacts machine_;
    std::optional<LabNetwork> network_;
    std::string namespace_;  // path
    std::vector<Step> steps_;
};

}  // namespace zcrxlab
