// Chapter alone: what has a guest for itself.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/socket.h>

#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"

namespace zcrxlab::alone {
namespace {

// TCP wants to look at the byte, and the payload cannot be read.
SCENARIO(alone, urgent, "an urgent byte in payload that the kernel cannot read breaks nothing",
         Terms(Needs{.where = Where::kDevice}).claims({"tcp.urgent"})) {
    ForgedStream forged(scene);
    const int on = 1;
    ::setsockopt(forged.rx.socket(forged.stream), SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    forged.rx.arm(forged.stream);
    forged.source.send_all({{0, 1000}, {1000, 1000, kTcpUrgent, 500}, {2000, 1000}});
    forged.source.finish();
    forged.rx.receive_all();
}

// Whoever may ask for them may ask at any time; taking the interface down is for the administrator.
SCENARIO(alone, statistics_while_down, "anybody can ask for the statistics of a NIC that is not up",
         Needs{.where = Where::kDevice, .disruptive = true}) {
    Netdev& netdev = scene.nic().netdev();
    const Result<QueueStatistics> up = netdev.statistics_of_all();
    if (!up && up.error().code == EOPNOTSUPP) GTEST_SKIP() << "The driver keeps no statistics.";
    const std::string interface = scene.endpoints().interface;
    Links& links = scene.nic().links();
    scene.must(links.set_up(interface, false));
    {
        const WithoutCapability without(scene, CAP_NET_ADMIN);
        const Result<QueueStatistics> down = netdev.statistics_of_all();
        EXPECT_TRUE(down) << down.error().sentence;
    }
    scene.must(links.set_up(interface, true));
    // IPv6 addresses go with the interface.
    static_cast<void>(links.add_address(interface, scene.endpoints().local_v6, 64));
}

}  // namespace
}  // namespace zcrxlab::alone
