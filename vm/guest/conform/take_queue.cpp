// zcrx-take-queue: registers the queue that a program was to get, prints "ready", and keeps it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/number.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"

int main() {
    const char* const interface = std::getenv(zcrxlab::environment::kInterface);
    const char* const number = std::getenv(zcrxlab::environment::kQueueForProgram);
    const auto queue = zcrxlab::number_from<uint32_t>(number == nullptr ? "" : number);
    if (interface == nullptr || !queue) {
        fmt::print(stderr, "zcrx-take-queue: NETIF and ZCRX_QUEUE say which queue it is\n");
        return zcrxlab::kExitUsage;
    }
    auto ring = zcrxlab::Ring::create();
    if (!ring) {
        fmt::print("{}\n", ring.error().sentence);
        return zcrxlab::kExitFailed;
    }
    zcrxlab::IfqOptions options;
    options.interface = interface;
    options.queue = *queue;
    const auto ifq = zcrxlab::Ifq::open(*ring, options);
    if (!ifq) {
        fmt::print("{}\n", ifq.error().sentence);
        return zcrxlab::kExitFailed;
    }
    fmt::print("ready\n");
    std::fflush(stdout);
    for (;;) ::pause();
}
