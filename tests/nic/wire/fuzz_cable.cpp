// Fuzzes a whole cable: frames, settings, fault rules and times, in any order.
//
// The input is a program: `c` configures a port, `t` transmits a frame of the right form, `T` one
// without its checksum, `w` wild bytes, `b` ends a burst, `f` adds a fault rule, `e` removes all,
// `n` lets time pass, `l` takes the link down or up, `r` asks for a reset, and kills. `0` and `1`
// say whose turn it is.
//
// reaches nic/wire/headers.cpp: parse_tcp(frame, h);
// reaches nic/wire/coalescing.cpp: bool ends = ends_run(next) ||
// reaches 60 % of nic/wire/headers.cpp
// reaches 66 % of nic/wire/cable.cpp
// reaches 70 % of nic/wire/coalescing.cpp
// reaches nic/wire/flow_contexts.cpp: while (next_deadline() <= now) {
// reaches 50 % of nic/wire/flow_contexts.cpp
// reaches 70 % of nic/wire/segmentation.cpp
// reaches 80 % of nic/wire/receiver.cpp
// reaches 65 % of nic/wire/steering.cpp
// reaches 75 % of nic/wire/faults.cpp
#include <cstdlib>

#include "nic/wire/cable.hpp"
#include "nic/wire/segmentation.hpp"
#include "tests/fakes/fake_wire.hpp"
#include "tests/nic/wire/fuzz_wire.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;

namespace {

// Checks what every delivery promises, and reports its writes.
class CheckingDevice : public FakeWireDevice {
  public:
    Accepted deliver(const Delivery& d) override {
        size_t size = d.bytes.size();
        bool right = d.header_length <= size && d.payload_offset + d.trailing <= size &&
                     (d.flow == 0) == (d.l4 != L4::kTcp) &&
                     (keeps(d, settings) || (next_settings && keeps(d, *next_settings)));
        if (!right) std::abort();
        // Touch every byte.
        unsigned sum = 0;
        for (std::byte byte : d.bytes) sum += std::to_integer<unsigned>(byte);
        witness->wrote(DmaWitness::Kind::kPayload, sum, static_cast<uint32_t>(size), d, 0, 0);
        if ((sum & 0x1f) == 0 && echoes++ < 16) {
            Outgoing frame;
            frame.bytes.assign(d.bytes.begin(), d.bytes.end());
            port->transmit(std::move(frame));
        }
        return static_cast<Accepted>(sum % 5);
    }

    // While the settings change, what is held back to be joined is delivered by the old ones, and
    // what answers it arrives by the new ones.
    void change(const ReceiveSettings& to) {
        next_settings = &to;
        port->set_receive(to);
        next_settings = nullptr;
        settings = to;
    }

    static bool keeps(const Delivery& d, const ReceiveSettings& by) {
        return d.queue < by.queues && (d.header_length == 0 || by.header_split) &&
               (d.rsc_mss == 0 || by.rsc);
    }

    ReceiveSettings settings;
    const ReceiveSettings* next_settings = nullptr;  // only while they change
    WirePort* port = nullptr;
    DmaWitness* witness = nullptr;
    int echoes = 0;
    uint32_t sequence = 1000;  // of the next frame that is sent
};

// FLAGS MTU TABLE and a rule: QUEUE PORT MASK.
ReceiveSettings settings_from(Program& program) {
    ReceiveSettings settings;
    const uint8_t flags = program.number();
    settings.queues = flags % 8;
    settings.header_split = (flags & 0x10) == 0;
    settings.rsc = (flags & 0x08) != 0;
    if ((flags & 0x20) != 0) settings.rss_types = rss_bit(RssType::kIpv4);
    if ((flags & 0x40) != 0) settings.queue_without_hash = 9;
    settings.mtu = program.wide();
    settings.rss_table.resize(program.number() % 130);
    for (size_t i = 0; i < settings.rss_table.size(); ++i)
        settings.rss_table[i] = static_cast<uint16_t>(i % 10);
    FlowRule rule;
    rule.queue = program.number();
    rule.destination_port = program.wide();
    rule.destination_port_mask = program.wide();
    settings.rules.push_back(rule);
    return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Program program(data, size);
    uint64_t now = 0;
    Cable cable({[&] { return now; }, nullptr, [](const WireEvent&) {}, 64});
    CheckingDevice devices[2];
    for (unsigned port : {0U, 1U}) {
        devices[port].port = &cable.port(port);
        devices[port].witness = &cable.witness(port);
        devices[port].settings.queues = 2;
        devices[port].settings.header_split = true;
        cable.attach(port, &devices[port]);
        cable.port(port).set_receive(devices[port].settings);
    }
    unsigned port = 0;
    while (const char letter = program.letter()) {
        CheckingDevice& device = devices[port];
        switch (letter) {
            case '0':
            case '1':
                port = letter == '1' ? 1 : 0;
                break;
            case 'c':
                device.change(settings_from(program));
                break;
            case 't':
            case 'T': {  // MSS, in 16 bytes, 0: do not cut; then the frame
                Outgoing frame;
                frame.mss = static_cast<uint16_t>(program.number() * 16);
                frame.checksum = letter == 'T';
                BuiltFrame built = frame_from(program, device.sequence);
                device.sequence += static_cast<uint32_t>(built.bytes.size() - built.payload);
                frame.bytes = std::move(built.bytes);
                cable.port(port).transmit(std::move(frame));
                break;
            }
            case 'w': {
                Outgoing frame;
                frame.mss = program.wide();
                frame.checksum = (program.number() & 1) != 0;
                const uint8_t repeat = program.number();
                frame.bytes = program.bytes(program.number());
                // A long frame costs the input little.
                if (!frame.bytes.empty()) frame.bytes.resize(frame.bytes.size() + repeat * 64);
                cable.port(port).transmit(std::move(frame));
                break;
            }
            case 'b':
                cable.port(port).flush();
                break;
            case 'f':
                if (auto added = cable.faults().add(rule_from(program, port));
                    !added.ok() && added.error().code != ENOSPC)
                    std::abort();
                break;
            case 'e':
                cable.faults().clear();
                break;
            case 'n':  // in 16 ms
                now += program.number() * uint64_t{16'000'000};
                cable.run();
                break;
            case 'l':
                cable.set_link(port, (program.number() & 1) != 0);
                break;
            case 'r':
                cable.request_reset(port);
                (void)cable.die(port);
                break;
            default:
                break;
        }
    }
    // What is delivered at last may be answered, and the answer held in turn.
    for (int turn = 0; turn < 64 && cable.next_deadline() != kNoDeadline; ++turn) {
        now += 1'000'000'000'000;
        cable.run();
    }
    if (cable.next_deadline() != kNoDeadline) std::abort();
    cable.log().extract(0, 100);
    for (unsigned of : {0U, 1U}) cable.counters(of);
    return 0;
}
