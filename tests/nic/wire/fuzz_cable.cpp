// Fuzzes a whole cable: wild frames, settings, fault rules and times, in any order.
#include <cstdlib>
#include <cstring>

#include "nic/wire/cable.hpp"
#include "tests/fakes/fake_wire.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;

namespace {

// Numbers from the input, zeros when it is used up.
class Input {
  public:
    Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

    template <typename T>
    T take() {
        T value{};
        size_t count = std::min(sizeof(T), size_);
        if (count != 0) std::memcpy(&value, data_, count);
        data_ += count;
        size_ -= count;
        return value;
    }
    std::vector<std::byte> bytes(size_t count) {
        count = std::min(count, size_);
        auto taken = std::as_bytes(std::span(data_, count));
        data_ += count;
        size_ -= count;
        return {taken.begin(), taken.end()};
    }
    bool empty() const { return size_ == 0; }

  private:
    const uint8_t* data_;
    size_t size_;
};

// Checks what every delivery promises, and reports its writes.
class CheckingDevice : public FakeWireDevice {
  public:
    Accepted deliver(const Delivery& d) override {
        size_t size = d.bytes.size();
        bool right = d.queue < settings.queues && d.header_length <= size &&
                     d.payload_offset <= size && (d.header_length == 0 || settings.header_split) &&
                     (d.rsc_mss == 0 || settings.rsc) && (d.flow == 0) == (d.l4 != L4::kTcp);
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

    ReceiveSettings settings;
    WirePort* port = nullptr;
    DmaWitness* witness = nullptr;
    int echoes = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    uint64_t now = 0;
    Cable cable({[&] { return now; }, nullptr, [](const WireEvent&) {}, 64});
    CheckingDevice devices[2];
    for (unsigned port : {0U, 1U}) {
        devices[port].port = &cable.port(port);
        devices[port].witness = &cable.witness(port);
        cable.attach(port, &devices[port]);
    }
    auto configure = [&](unsigned port) {
        ReceiveSettings& settings = devices[port].settings;
        settings = {};
        auto flags = input.take<uint8_t>();
        settings.queues = flags % 8;
        settings.header_split = (flags & 0x10) != 0;
        settings.rsc = (flags & 0x20) != 0;
        settings.mtu = input.take<uint16_t>();
        settings.rss_table.resize(input.take<uint8_t>() % 130);
        for (uint16_t& entry : settings.rss_table) entry = input.take<uint8_t>() % 10;
        FlowRule rule;
        rule.queue = input.take<uint8_t>();
        rule.destination_port = input.take<uint16_t>();
        rule.destination_port_mask = input.take<uint16_t>();
        settings.rules.push_back(rule);
        cable.port(port).set_receive(settings);
    };
    configure(0);
    configure(1);
    while (!input.empty()) {
        auto action = input.take<uint8_t>();
        unsigned port = action >> 7;
        if (action % 16 < 9) {
            Outgoing frame;
            frame.mss = (action & 0x20) != 0 ? input.take<uint16_t>() : 0;
            frame.checksum = (action & 0x40) != 0;
            auto repeat = input.take<uint8_t>();
            frame.bytes = input.bytes(input.take<uint8_t>());
            // A long frame costs the input little.
            if (!frame.bytes.empty()) frame.bytes.resize(frame.bytes.size() + repeat * 64);
            cable.port(port).transmit(std::move(frame));
        } else if (action % 16 == 9) {
            cable.port(port).flush();
        } else if (action % 16 == 10) {
            configure(port);
        } else if (action % 16 < 13) {
            FaultRule rule;
            rule.what = static_cast<FaultKind>(input.take<uint8_t>() % 13);
            rule.port = port;
            rule.match.skip = input.take<uint8_t>() % 4;
            rule.match.every = 1 + input.take<uint8_t>() % 4;
            rule.match.probability = input.take<uint8_t>() / 200.0;
            rule.bytes = input.take<uint32_t>();
            rule.frames = input.take<uint8_t>();
            rule.milliseconds = input.take<uint8_t>();
            rule.to = input.take<uint16_t>();
            auto added = cable.faults().add(rule);
            if (!added.ok() && added.error().code != ENOSPC) std::abort();
        } else if (action % 16 == 13) {
            now += input.take<uint32_t>();
            cable.run();
        } else if (action % 16 == 14) {
            cable.set_link(port, (action & 0x10) != 0);
        } else {
            cable.faults().clear();
        }
    }
    now += 1000000000;
    cable.run();
    cable.log().extract(input.take<uint8_t>(), 100);
    return 0;
}
