// Fuzzes the message handling: any stream of bytes and descriptors, against a device that does DMA
// and raises interrupts as the stream tells it.
//
// reaches 55 % of nic/transport/endpoint.cpp
// reaches 65 % of nic/transport/message_reader.cpp
// reaches 66 % of nic/transport/dma_map.cpp
// reaches 45 % of nic/transport/config_space.cpp
// reaches 55 % of nic/transport/irq_vectors.cpp
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "harness/base/fd.hpp"
#include "nic/transport/endpoint.hpp"
#include "nic/transport/message_reader.hpp"
#include "tests/nic/transport/fake_pci_device.hpp"

namespace {

using namespace zcrxlab;
using namespace zcrxlab::nic;
using namespace zcrxlab::nic::vfio_user;

// The input, taken from the front.
class Input {
  public:
    Input(const uint8_t* data, size_t size)
        : left_(reinterpret_cast<const std::byte*>(data), size) {}
    bool empty() const { return left_.empty(); }
    uint8_t byte() {
        if (left_.empty()) return 0;
        auto value = static_cast<uint8_t>(left_.front());
        left_ = left_.subspan(1);
        return value;
    }
    std::span<const std::byte> bytes(size_t most) {
        auto taken = left_.first(std::min(most, left_.size()));
        left_ = left_.subspan(taken.size());
        return taken;
    }

  private:
    std::span<const std::byte> left_;
};

const Fd& guest_memory() {
    static const Fd file = [] {
        Fd fd(::memfd_create("guest", MFD_CLOEXEC));
        if (::ftruncate(fd.get(), 64 * 4096) != 0) std::abort();
        return fd;
    }();
    return file;
}

Fd some_fd(uint8_t kind) {
    static const Fd event(::eventfd(0, EFD_CLOEXEC));
    static const Fd short_file(::memfd_create("short", MFD_CLOEXEC));
    switch (kind % 4) {
        case 0:
            return Fd(::dup(guest_memory().get()));
        case 1:
            return Fd(::dup(event.get()));
        case 2:
            return Fd(::dup(short_file.get()));
        default:
            return Fd(::dup(STDERR_FILENO));
    }
}

// Everything a fuzzed stream talks to.
class Target {
  public:
    Target() : endpoint_(Endpoint::create(device_, dma_, irq_).value()) {
        device_.on_write = [this](unsigned bar, uint64_t offset, std::span<const std::byte> bytes) {
            touch_memory(bar, offset, bytes);
        };
    }

    // False: the stream is broken and the connection would be closed.
    bool feed(std::span<const std::byte> bytes, std::vector<Fd> fds) {
        auto space = reader_.space();
        if (space.size() < kMaximumMessage) std::abort();
        bytes = bytes.first(std::min(bytes.size(), space.size()));
        std::copy(bytes.begin(), bytes.end(), space.begin());
        reader_.commit(bytes.size(), std::move(fds), false);
        while (true) {
            auto message = reader_.next();
            if (!message) return false;
            if (!message->has_value()) return true;
            Header asked = (*message)->header;
            size_t room = asked.size + kMaximumTransfer;
            check_reply(asked, endpoint_.handle(std::move(**message)), room);
        }
    }
    void disconnect() {
        endpoint_.disconnect();
        if (dma_.ranges() != 0 || dma_.files() != 0) std::abort();
    }

  private:
    static void check_reply(const Header& asked, const std::vector<std::byte>& bytes, size_t room) {
        bool due = (asked.flags & kTypeMask) == kTypeCommand && (asked.flags & kFlagNoReply) == 0;
        if (due == bytes.empty() || bytes.size() > room) std::abort();
        if (!due) return;
        Header reply;
        if (bytes.size() < sizeof(reply)) std::abort();
        std::memcpy(&reply, bytes.data(), sizeof(reply));
        bool failed = (reply.flags & kFlagError) != 0;
        if (reply.id != asked.id || reply.command != asked.command || reply.size != bytes.size() ||
            (reply.flags & kTypeMask) != kTypeReply || failed != (reply.error != 0) ||
            (failed && bytes.size() != sizeof(reply)))
            std::abort();
    }

    void touch_memory(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) {
        uint64_t address = 0;
        std::memcpy(&address, bytes.data(), bytes.size());
        std::vector<std::byte> buffer(static_cast<size_t>(offset) * (bar + 1));
        bool read = dma_.read(address, buffer);
        bool written = dma_.write(address, buffer);
        if ((read || written) && !device_.bus_master) std::abort();
        const auto physical = dma_.physical(address, buffer.size());
        const uint64_t last = buffer.size() - 1;
        if (physical && dma_.physical(address + last, 1) != *physical + last) std::abort();
        dma_.store_release(address, static_cast<uint16_t>(offset));
        dma_.store_release(address, static_cast<uint32_t>(offset));
        irq_.raise(static_cast<uint16_t>(address));
    }

    FakePciDevice device_;
    DmaMap dma_;
    IrqVectors irq_;
    Endpoint endpoint_;
    MessageReader reader_;
};

std::vector<std::byte> command(uint8_t number, uint8_t flags, std::span<const std::byte> body) {
    Header header{number, number, static_cast<uint32_t>(sizeof(Header) + body.size()), flags, 0};
    auto raw = std::as_bytes(std::span(&header, 1));
    std::vector<std::byte> bytes(raw.begin(), raw.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

}  // namespace

// Input: a byte that says whether the version is negotiated, then steps. A step's first byte tells
// by its low bits what it is: raw bytes of the stream, a command with a right header, or a write to
// the command register; the high bits say how many descriptors come with it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    Target target;
    if ((input.byte() & 1) != 0) {
        Version version{kMajor, kMinor};
        target.feed(command(1, 0, std::as_bytes(std::span(&version, 1))), {});
    }
    bool whole = true;
    while (whole && !input.empty()) {
        uint8_t step = input.byte();
        std::vector<Fd> fds;
        for (uint8_t left = step >> 5; left > 0; left--) fds.push_back(some_fd(input.byte()));
        size_t length = input.byte();
        switch (step & 3) {
            case 0:
                whole = target.feed(input.bytes(length), std::move(fds));
                break;
            case 1: {
                struct __attribute__((packed)) {
                    RegionAccess access{4, kRegionConfig, 2};
                    uint16_t value = 0;
                } write;
                write.value = (length & 1) != 0 ? 6 : 0;
                whole = target.feed(command(10, 0, std::as_bytes(std::span(&write, 1))),
                                    std::move(fds));
                break;
            }
            default: {
                uint8_t number = input.byte();
                uint8_t flags = (step & 4) != 0 ? kFlagNoReply : 0;
                whole = target.feed(command(number, flags, input.bytes(length)), std::move(fds));
            }
        }
    }
    target.disconnect();
    return 0;
}
