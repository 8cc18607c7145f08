// Chapter fatal: what takes the whole kernel down where a promise is broken.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"

namespace zcrxlab::fatal {
namespace {

// TCP wants to look at the byte, and the payload cannot be read.
SCENARIO(fatal, urgent, "an urgent byte in payload that the kernel cannot read breaks nothing",
         Terms(Needs{.where = Where::kDevice}).claims({"tcp.urgent"})) {
    ForgedStream forged(scene);
    const int on = 1;
    ::setsockopt(forged.rx.socket(forged.stream), SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    forged.rx.arm(forged.stream);
    forged.source.send_all({{0, 1000}, {1000, 1000, kTcpUrgent, 500}, {2000, 1000}});
    forged.source.finish();
    forged.rx.receive_all();
}

}  // namespace
}  // namespace zcrxlab::fatal
