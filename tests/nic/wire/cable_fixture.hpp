// CableTest: a cable with a fake device at each end and a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "nic/wire/cable.hpp"
#include "tests/fakes/fake_wire.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {

class CableTest : public testing::Test {
  protected:
    static constexpr uint64_t kMillisecond = 1000000;

    CableTest()
        : cable({[this] { return now; }, nullptr,
                 [this](const WireEvent& event) { events.push_back(event); }, 1024}) {
        for (unsigned port : {0U, 1U}) {
            cable.attach(port, &devices[port]);
            settings.queues = 4;
            settings.header_split = true;
            cable.port(port).set_receive(settings);
        }
    }

    // Port 1 sends, port 0 receives, unless said otherwise.
    void send(const Bytes& bytes, uint16_t mss = 0, bool checksum = false, unsigned from = 1) {
        Outgoing frame;
        frame.bytes = bytes;
        frame.mss = mss;
        frame.checksum = checksum;
        cable.port(from).transmit(std::move(frame));
    }
    void send(const FrameShape& shape, uint16_t mss = 0) { send(build_frame(shape).bytes, mss); }
    // A burst of one TCP packet for each number, with that sequence number and payload.
    void send_numbers(std::initializer_list<uint32_t> numbers) {
        for (uint32_t number : numbers) send(numbered(number));
        cable.port(1).flush();
    }
    // As long as a packet is held back to be coalesced.
    void let_hold_pass() {
        now += FlowLimits{}.hold;
        cable.run();
    }
    static FrameShape numbered(uint32_t number) {
        FrameShape shape;
        shape.sequence = number;
        shape.payload = stream_bytes(number, 10);
        return shape;
    }
    std::vector<FakeWireDevice::Kept>& kept(unsigned port = 0) { return devices[port].kept; }
    std::vector<uint32_t> kept_numbers() {
        std::vector<uint32_t> numbers;
        for (const auto& one : kept()) numbers.push_back(one.delivery.tcp_sequence);
        return numbers;
    }
    uint64_t counter(const std::string& name, unsigned port = 0) {
        for (const auto& [key, value] : cable.counters(port)) {
            if (key == name) return value;
        }
        ADD_FAILURE() << "no counter " << name;
        return 0;
    }
    uint32_t inject(FaultKind what, const FaultMatch& match = {}, uint32_t bytes = 0,
                    uint32_t frames = 0, uint32_t milliseconds = 0, uint16_t to = 0) {
        FaultRule rule;
        rule.what = what;
        rule.match = match;
        rule.bytes = bytes;
        rule.frames = frames;
        rule.milliseconds = milliseconds;
        rule.to = to;
        return *cable.faults().add(rule);
    }

    uint64_t now = kMillisecond;
    std::vector<WireEvent> events;
    ReceiveSettings settings;
    FakeWireDevice devices[2];
    Cable cable;
};

}  // namespace zcrxlab::nic
