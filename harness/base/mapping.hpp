// Mapping: sole owner of an mmap()ed range.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "harness/base/result.hpp"

namespace zcrxlab {

class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        if (this != &other) {
            unmap();
            address_ = std::exchange(other.address_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { unmap(); }

    // mmap(2) with these arguments; the errno of mmap on failure.
    static Result<Mapping> map(size_t size, int protection, int flags, int fd = -1,
                               off_t offset = 0) {
        void* address = ::mmap(nullptr, size, protection, flags, fd, offset);
        if (address == MAP_FAILED)
            return error_from_errno("mmap of " + std::to_string(size) + " bytes");
        return Mapping(address, size);
    }
    // Private zeroed memory of `size` bytes (a multiple of the page size).
    static Result<Mapping> anonymous(size_t size, int extra_flags = 0) {
        return map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | extra_flags);
    }

    explicit operator bool() const { return address_ != nullptr; }
    std::byte* data() const { return static_cast<std::byte*>(address_); }
    size_t size() const { return size_; }
    std::span<std::byte> bytes() const { return {data(), size_}; }

    void unmap() {
        if (address_ != nullptr) ::munmap(address_, size_);
        address_ = nullptr;
        size_ = 0;
    }

  private:
    Mapping(void* address, size_t size) : address_(address), size_(size) {}

    void* address_ = nullptr;
    size_t size_ = 0;
};

}  // namespace zcrxlab
