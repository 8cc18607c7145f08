// What is asked of DPDK's driver, and told of what it did: a line for each claim, which
// dpdk.expected has, too.
#pragma once

#include "harness/base/result.hpp"
#include "tests/acceptance/dpdk/testpmd.hpp"

namespace zcrxlab::dpdk {

// Receive and transmit queues of each of the two ports.
inline constexpr unsigned kQueues = 4;

// Prints the lines on standard output. An error is one behind which nothing can be asked.
Result<void> run_session(Testpmd& testpmd);

}  // namespace zcrxlab::dpdk
