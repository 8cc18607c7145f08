// zcrx-send: the peer of "zcrxlab exec --send": sends as its line says, and tells how it went.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "vm/guest/send/connection.hpp"
#include "vm/guest/send/send_spec.hpp"

namespace zcrxlab {
namespace {

constexpr double kMebi = 1 << 20;

// Whether all went well.
bool send_all(const SendSpec& spec, const std::string& address) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<Result<void>> results(spec.connections);
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < spec.connections; ++number)
        connections.push_back(std::make_unique<Connection>(spec, number, address));
    for (unsigned number = 0; number < spec.connections; ++number)
        threads.emplace_back([&, number] { results[number] = connections[number]->run(address); });
    for (std::thread& thread : threads) thread.join();

    uint64_t sent = 0, received = 0, requests = 0, failed = 0;
    for (unsigned number = 0; number < spec.connections; ++number) {
        sent += connections[number]->sent();
        received += connections[number]->received();
        requests += connections[number]->requests();
        if (results[number]) continue;
        ++failed;
        fmt::print("zcrx-send: connection {}: {}\n", number, results[number].error().sentence);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print(
        "zcrx-send: {} connections ({} failed), {} requests, {:.2f} MiB sent, {:.2f} MiB "
        "received, {:.2f} s\n",
        spec.connections, failed, requests, static_cast<double>(sent) / kMebi,
        static_cast<double>(received) / kMebi, seconds);
    return failed == 0;
}

}  // namespace
}  // namespace zcrxlab

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "zcrx-send: usage: zcrx-send connections=4,size=1M,port=9999\n");
        return zcrxlab::kExitUsage;
    }
    auto spec = zcrxlab::parse_send_spec(argv[1]);
    if (!spec) {
        fmt::print(stderr, "zcrx-send: {}\n", spec.error().sentence);
        return zcrxlab::kExitUsage;
    }
    const char* const address = std::getenv(spec->family == 6 ? zcrxlab::environment::kLocalV6
                                                              : zcrxlab::environment::kLocalV4);
    if (address == nullptr || spec->port == 0) {
        fmt::print(stderr, "zcrx-send: LOCAL_V4 or LOCAL_V6 names the receiver, port= its port\n");
        return zcrxlab::kExitUsage;
    }
    return zcrxlab::send_all(*spec, address) ? zcrxlab::kExitPassed : zcrxlab::kExitFailed;
}
