// Dma: a device's access to guest memory. Implemented by the transport, faked in unit tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace zcrxlab::nic {

// Addresses are guest bus addresses (IOVAs); a range may cross mappings. Nothing is ever written
// unless the whole range is mapped and writable. The guest may change memory at any time: copy what
// you validate.
class Dma {
  public:
    virtual ~Dma() = default;

    // False if any byte of the range is not mapped for reading; `out` is then unspecified.
    virtual bool read(uint64_t address, std::span<std::byte> out) = 0;
    // False, and nothing written, if any byte of the range is not mapped for writing.
    virtual bool write(uint64_t address, std::span<const std::byte> bytes) = 0;
    // Stores two bytes, naturally aligned, after everything written before is visible to the guest:
    // how a generation bit or an event counter is published. False as for write(), or if
    // misaligned.
    virtual bool store_release(uint64_t address, uint16_t value) = 0;
    virtual bool store_release(uint64_t address, uint32_t value) = 0;

    // Why an access is refused, after one was: "is not mapped", for a sentence about its range.
    virtual std::string_view why_refused(uint64_t /*address*/, uint64_t /*size*/,
                                         bool /*for_writing*/) const {
        return "is not mapped";
    }

    // Guest physical address of a range that can be accessed; nothing if it is not one piece of the
    // guest's memory, or if nobody has told which.
    virtual std::optional<uint64_t> physical(uint64_t address, uint64_t /*size*/) const {
        return address;
    }

    template <typename T>
    bool read_object(uint64_t address, T& object) {
        static_assert(std::is_trivially_copyable_v<T>);
        return read(address, std::as_writable_bytes(std::span(&object, 1)));
    }
    template <typename T>
    bool write_object(uint64_t address, const T& object) {
        static_assert(std::is_trivially_copyable_v<T>);
        return write(address, std::as_bytes(std::span(&object, 1)));
    }
};

}  // namespace zcrxlab::nic
