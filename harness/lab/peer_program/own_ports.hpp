// Which port of this machine is to send, and whether it may: without netlink, since the program
// that asks runs where nothing of ours is installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/far/frame_stream.hpp"

namespace zcrxlab {

// The port called `interface`; if that is empty, the only one that has a link and that nobody
// needs. What is against it is in `refusals`. ENODEV names the ports that there are.
Result<FarPort> choose_port(const std::filesystem::path& root, const std::string& interface,
                            const MachineFacts& machine, const std::vector<PortFacts>& ports);

// Whether the port has an id that only a port of a switch has. The mode of the switch itself is
// known to netlink alone; a switch that somebody uses also has virtual functions, which count.
bool switches_by_id(const PortFacts& port);
// All ports of this machine that have an Ethernet address, with the addresses of the network layer.
std::vector<PortFacts> own_ports();
// What the machine needs, also by the ssh session that this is.
MachineFacts own_machine(const std::vector<PortFacts>& ports);

// Routes in the text of /proc/net/route and /proc/net/ipv6_route, of the named interfaces.
std::vector<Route> routes_in_text(std::string_view four, std::string_view six,
                                  const std::vector<PortFacts>& ports);

}  // namespace zcrxlab
