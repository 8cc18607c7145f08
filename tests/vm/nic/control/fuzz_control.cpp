// Fuzzes the control channel: wild bytes in wild pieces, read back in wild pieces.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/fakes/fake_wire.hpp"
#include "vm/nic/control/fault_file.hpp"
#include "vm/nic/control/fault_rule_json.hpp"
#include "vm/nic/control/session.hpp"

using namespace zcrxlab::nic;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    // What is understood must survive being written and read again.
    if (auto rules = parse_faults(text); rules.ok()) {
        for (const FaultRule& rule : *rules) {
            auto again = fault_rule_from_json(fault_rule_to_json(rule));
            if (!again.ok() || fault_rule_to_json(*again) != fault_rule_to_json(rule)) std::abort();
        }
    }
    Cable cable({[] { return uint64_t{1}; }, nullptr, [](const WireEvent&) {}, 64});
    FakeWireDevice devices[2];
    for (unsigned port : {0U, 1U}) cable.attach(port, &devices[port]);
    for (int i = 0; i < 100; ++i)
        cable.witness(0).wrote(DmaWitness::Kind::kPayload, 1, 1, Delivery{}, 0, 0);
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
