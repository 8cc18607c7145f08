// Providers of queue memory: waiting until a closed ring has let go of its queue (I6).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netdev.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// Asks until no io_uring provider is on the receive queue, nor a page pool of one is in use or
// waits for its pages; at most `bound`. Call right after the close: its clock starts now. An Error
// only if the kernel could not be asked.
Result<ProviderReleased> wait_for_release(const std::string& interface, uint32_t queue,
                                          std::chrono::milliseconds bound);

// "pool 7 of eth1: napi 8195, 1024 pages in flight, io_uring" for each pool, without numbers that
// differ between two quiet moments if `comparable`.
Result<std::vector<std::string>> describe_page_pools(const std::string& interface,
                                                     bool comparable = false);

}  // namespace zcrxlab
