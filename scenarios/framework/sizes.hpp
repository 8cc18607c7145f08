// Sizes: numbers of bytes as people write them.
#pragma once

#include <cstddef>

namespace zcrxlab {

constexpr size_t operator""_KiB(unsigned long long n) {
    return n << 10;
}
constexpr size_t operator""_MiB(unsigned long long n) {
    return n << 20;
}

}  // namespace zcrxlab
