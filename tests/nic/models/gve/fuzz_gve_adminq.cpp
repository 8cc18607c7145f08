// Fuzzes the admin queue: commands as a driver makes them, and with any byte of them, or of what
// they point to, changed.
//
// The input is a program. Its letters are commands (fuzz_memory.hpp), and: `!` PLACE VALUE changes
// a byte of the next one, `?` PLACE PLACE VALUE one of what it points to, `g` is another doorbell,
// `S` starts the queue anew, `R` resets the device, `D` delivers a packet to every queue.
//
// reaches nic/models/gve/gve_admin_queues.cpp: QueueResources{doorbell, counter}))
// reaches nic/models/gve/gve_admin_queues.cpp: if (header != 0 && header != config.header_buf
// reaches 56 % of nic/models/gve/gve_adminq.cpp
// reaches 55 % of nic/models/gve/gve_admin_device.cpp
// reaches 45 % of nic/models/gve/gve_admin_queues.cpp
// reaches 63 % of nic/models/gve/gve_admin_steering.cpp
// reaches 70 % of nic/models/gve/gve_steering.cpp
// reaches 70 % of nic/models/gve/gve_stats.cpp
#include <cstdlib>
#include <utility>
#include <vector>

#include "nic/models/gve/gve_device.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"
#include "tests/nic/models/gve/fuzz_memory.hpp"

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::gve;

namespace {

class Driver {
  public:
    Driver() : device_(GveConfig{.log = [](std::string_view) {}}, dma_, irq_, wire_, witness_) {
        dma_.add(kMemory, kBuffers - kMemory);
        start();
    }

    void step(char letter, Program& program) {
        switch (letter) {
            case '!': {
                const uint8_t place = program.number();
                changes_.push_back({place % sizeof(Command), program.number()});
                return;
            }
            case '?': {
                const uint64_t place = program.wide();
                inner_changes_.push_back({place % 0x1000, program.number()});
                return;
            }
            case 'g':
                write_register(offsetof(Registers, adminq_doorbell), Be32(program.wide()));
                return;
            case 'S':
                start();
                return;
            case 'R':
                device_.reset();
                device_.set_bus_master(true);
                return;
            case 'D':
                deliver();
                return;
            default:
                break;
        }
        auto command = command_from(
            letter, program,
            [&](uint64_t at, std::span<const std::byte> bytes) { dma_.write(at, bytes); });
        if (command) execute(*command);
    }
    void reset() { device_.reset(); }

  private:
    template <typename T>
    void write_register(uint64_t offset, T value) {
        device_.bar_write(kRegisterBar, offset, std::as_bytes(std::span(&value, 1)));
    }
    void start() {
        device_.set_bus_master(true);
        produced_ = 0;
        write_register(offsetof(Registers, adminq_length), Be16(kAdminQueueLength));
        write_register(offsetof(Registers, adminq_base_low), Be32(uint32_t{kAdminQueue}));
        write_register(offsetof(Registers, driver_status), Be32(kDriverRun));
    }
    uint32_t event_counter() {
        Be32 value;
        device_.bar_read(kRegisterBar, offsetof(Registers, adminq_event_counter),
                         std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void execute(Command command) {
        auto* bytes = reinterpret_cast<uint8_t*>(&command);
        for (const auto& [place, value] : changes_) bytes[place] = value;
        for (const auto& [place, value] : inner_changes_)
            dma_.write(kInner + place, std::as_bytes(std::span(&value, 1)));
        changes_.clear();
        inner_changes_.clear();
        const uint64_t slot = kAdminQueue + produced_ % 64 * sizeof(Command);
        command.status = 0U;
        dma_.write_object(slot, command);
        const bool in_step = event_counter() == produced_;  // no wild doorbell, no reset before
        write_register(offsetof(Registers, adminq_doorbell), Be32(++produced_));
        if (!in_step || event_counter() != produced_) return;
        // Carried out: there is an answer, and it is one that drivers know. The status is written
        // last, so that no answer of a wild address hides it.
        dma_.read_object(slot, command);
        const uint32_t status = command.status;
        if (status != static_cast<uint32_t>(Status::kPassed) &&
            status < static_cast<uint32_t>(Status::kAborted))
            std::abort();
    }
    void deliver() {
        for (uint16_t queue = 0; queue < 17; ++queue) {
            const std::byte frame[3000] = {};
            Delivery delivery;
            delivery.bytes = frame;
            delivery.queue = queue;
            delivery.header_length = 66;
            device_.deliver(delivery);
        }
        device_.end_of_burst();
    }

    FakeDma dma_;
    FakeIrq irq_;
    FakeWirePort wire_;
    FakeWitness witness_;
    GveDevice device_;
    uint32_t produced_ = 0;
    std::vector<std::pair<size_t, uint8_t>> changes_;  // of the next command
    std::vector<std::pair<uint64_t, uint8_t>> inner_changes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Program program(data, size);
    Driver driver;
    while (const char letter = program.letter()) driver.step(letter, program);
    driver.reset();
    return 0;
}
