// Integers whose byte order is part of their type, for layouts shared with a device or a wire.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace zcrxlab {

template <typename T>
constexpr T byteswapped(T value) {
    static_assert(std::is_unsigned_v<T>);
    if constexpr (sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        return __builtin_bswap64(value);
    }
}

// An unsigned integer stored in `Order`; unaligned on purpose, so that packed layouts may hold it.
template <typename T, std::endian Order>
class __attribute__((packed)) Ordered {
  public:
    Ordered() = default;
    constexpr Ordered(T value) : raw_(convert(value)) {}    // NOLINT: meant to be implicit
    constexpr operator T() const { return convert(raw_); }  // NOLINT
    constexpr T get() const { return convert(raw_); }

  private:
    static constexpr T convert(T value) {
        return Order == std::endian::native ? value : byteswapped(value);
    }
    T raw_;
};

using Le16 = Ordered<uint16_t, std::endian::little>;
using Le32 = Ordered<uint32_t, std::endian::little>;
using Le64 = Ordered<uint64_t, std::endian::little>;
using Be16 = Ordered<uint16_t, std::endian::big>;
using Be32 = Ordered<uint32_t, std::endian::big>;
using Be64 = Ordered<uint64_t, std::endian::big>;

static_assert(sizeof(Le16) == 2 && alignof(Le16) == 1);
static_assert(sizeof(Be64) == 8 && alignof(Be64) == 1);
static_assert(std::is_trivially_copyable_v<Be32>);

}  // namespace zcrxlab
