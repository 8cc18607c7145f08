// FakeDma: guest memory as a few ranges of host memory, for unit tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "nic/dma.hpp"

namespace zcrxlab::nic {

class FakeDma : public Dma {
  public:
    // Makes [address, address + size) guest memory, filled with `fill`. Ranges do not overlap.
    void add(uint64_t address, size_t size, bool writable = true, std::byte fill = std::byte{0}) {
        ranges_[address] = Range{std::vector<std::byte>(size, fill), writable};
    }
    // The bytes of a whole range, for a test to look at or to prepare.
    std::vector<std::byte>& range(uint64_t address) { return ranges_.at(address).bytes; }

    bool read(uint64_t address, std::span<std::byte> out) override {
        return each(address, out.size(), false, [&](std::byte* here, size_t at, size_t count) {
            std::memcpy(out.data() + at, here, count);
        });
    }
    bool write(uint64_t address, std::span<const std::byte> bytes) override {
        if (!each(address, bytes.size(), true, [](std::byte*, size_t, size_t) {})) return false;
        writes += 1;
        return each(address, bytes.size(), true, [&](std::byte* here, size_t at, size_t count) {
            std::memcpy(here, bytes.data() + at, count);
        });
    }
    bool store_release(uint64_t address, uint16_t value) override {
        return address % sizeof(value) == 0 && write_object(address, value);
    }
    bool store_release(uint64_t address, uint32_t value) override {
        return address % sizeof(value) == 0 && write_object(address, value);
    }

    uint64_t writes = 0;  // successful calls of write()

  private:
    struct Range {
        std::vector<std::byte> bytes;
        bool writable = true;
    };

    template <typename Visit>
    bool each(uint64_t address, size_t size, bool for_writing, Visit visit) {
        size_t done = 0;
        while (done < size) {
            uint64_t at = address + done;
            if (at < address) return false;
            auto it = ranges_.upper_bound(at);
            if (it == ranges_.begin()) return false;
            --it;
            uint64_t offset = at - it->first;
            if (offset >= it->second.bytes.size()) return false;
            if (for_writing && !it->second.writable) return false;
            size_t count = std::min<size_t>(size - done, it->second.bytes.size() - offset);
            visit(it->second.bytes.data() + offset, done, count);
            done += count;
        }
        return true;
    }

    std::map<uint64_t, Range> ranges_;
};

}  // namespace zcrxlab::nic
