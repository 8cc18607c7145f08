// Fuzzes the control channel: wild bytes in wild pieces, read back in wild pieces.
//
// reaches nic/control/commands.cpp: auto id = cable.faults().add(*parsed
// reaches nic/control/commands.cpp: cable.set_link(*port, up->get<bool>());
// reaches nic/control/commands.cpp: CommandFaults* faults = command_faults_of(cable, *port);
// reaches nic/control/commands.cpp: DmaLog::Extract extract = cable.log()
// reaches 51 % of nic/control/commands.cpp
// reaches 80 % of nic/control/session.cpp
// reaches 30 % of nic/control/fault_file.cpp
#include <cstdlib>

#include "nic/control/fault_file.hpp"
#include "nic/control/session.hpp"
#include "tests/fakes/fake_wire.hpp"

using namespace zcrxlab::nic;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    if (auto rules = parse_faults(text); !rules.ok() && rules.error().sentence.empty())
        std::abort();
    Cable cable({[] { return uint64_t{1}; }, nullptr, [](const WireEvent&) {}, 64});
    FakeWireDevice devices[2];
    for (unsigned port : {0U, 1U}) cable.attach(port, &devices[port]);
    for (int i = 0; i < 100; ++i)
        cable.witness(0).wrote(DmaWitness::Kind::kPayload, 1, 1, Delivery{}, 0, 0);
    cable.forbid(0, {.kind = ForbiddenKind::kDma, .descriptor = 1, .address = 2, .what = "asked"});
    Commands commands(cable, "fuzz");
    Session session(commands);
    size_t step = 1 + data[0] % 61;
    while (!text.empty() || !session.output().empty()) {
        size_t count = std::min({step, text.size(), session.room()});
        if (count != 0) session.feed(text.substr(0, count));
        text.remove_prefix(count);
        auto output = session.output();
        if (!output.empty()) session.sent(std::min(output.size(), step * 97));
        if (count == 0 && output.empty() && !text.empty()) std::abort();  // stuck
    }
    return 0;
}
