// Any bytes as a kernel image: a release that can be a folder's name, or an error.
//
// reaches 45 % of kernels/bzimage.cpp
#include <cstdint>
#include <cstdlib>
#include <span>

#include "kernels/bzimage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto image = std::as_bytes(std::span(data, size));
    if (zcrxlab::bzimage_length(image).value_or(0) > (uint64_t{1} << 37)) std::abort();
    const auto release = zcrxlab::bzimage_release(image);
    if (release && (release->empty() || release->find('/') != std::string::npos)) std::abort();
    return 0;
}
