// Fuzzes the reader of what QEMU's monitor says.
//
// reaches vm/saved/saving.cpp: if (status == "completed") return
// reaches vm/saved/saving.cpp: if (member(*said, "error") != nullptr) return
#include <cstdint>
#include <string>

#include "vm/saved/saving.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    (void)zcrxlab::news_in(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
