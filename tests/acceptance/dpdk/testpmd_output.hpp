// What dpdk-testpmd prints, as data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab::dpdk {

// A number behind a name, as in "RX-packets: 800        RX-missed: 0"; of a name that is there
// several times, the sum. Names that the text does not have are not in the answer.
std::map<std::string, uint64_t> sums(std::string_view text, const std::vector<std::string>& names);

// Of each forwarding stream ("Forward Stats for RX Port= 0/Queue= 2 ..."), how much it received.
std::vector<uint64_t> received_by_streams(std::string_view text);

// The forwarding statistics of all ports, at the end of a forwarding session.
struct Forwarded {
    bool found = false;
    uint64_t received = 0, sent = 0, dropped = 0;
};
Forwarded forwarded(std::string_view text);

// Of each packet that testpmd printed: what the driver said of it.
struct SeenPacket {
    uint32_t hash = 0;
    unsigned queue = 0;     // where it came
    bool is_udp4 = false;   // by the NIC's word
    bool l3_right = false;  // the NIC found the IP header's checksum right
    bool l4_right = false;  // and that of UDP
};
std::vector<SeenPacket> packets(std::string_view text);

// The redirection table: entry to queue.
std::map<unsigned, unsigned> redirection_table(std::string_view text);

}  // namespace zcrxlab::dpdk
