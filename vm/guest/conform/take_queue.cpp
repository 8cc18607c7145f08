// zcrx-take-queue: registers each queue that a program was to get, prints "ready", and keeps them.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/number.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"

int main() {
    const char* const interface = std::getenv(zcrxlab::environment::kInterface);
    const char* const queues = std::getenv(zcrxlab::environment::kQueuesForProgram);
    if (interface == nullptr || queues == nullptr) {
        fmt::print(stderr, "zcrx-take-queue: NETIF and ZCRX_QUEUES say which queues these are\n");
        return zcrxlab::kExitUsage;
    }
    auto ring = zcrxlab::Ring::create();
    if (!ring) {
        fmt::print("{}\n", ring.error().sentence);
        return zcrxlab::kExitFailed;
    }
    std::vector<std::unique_ptr<zcrxlab::Ifq>> taken;
    std::istringstream words(queues);
    for (std::string word; words >> word;) {
        const auto queue = zcrxlab::number_from<uint32_t>(word);
        if (!queue) {
            fmt::print("{} in ZCRX_QUEUES is no queue\n", word);
            return zcrxlab::kExitUsage;
        }
        zcrxlab::IfqOptions options;
        options.interface = interface;
        options.queue = *queue;
        auto ifq = zcrxlab::Ifq::open(*ring, options);
        if (!ifq) {
            fmt::print("{}\n", ifq.error().sentence);
            return zcrxlab::kExitFailed;
        }
        taken.push_back(std::move(*ifq));
    }
    fmt::print("ready\n");
    std::fflush(stdout);
    for (;;) ::pause();
}
