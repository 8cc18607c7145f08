// Fuzzes what reads ELF files: .modinfo, the loader of a program, and trimming.
#include <cstdint>
#include <string>

#include "vm/image/modules.hpp"
#include "vm/image/program_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string elf(reinterpret_cast<const char*>(data), size);
    (void)zcrxlab::modinfo_value(elf, "depends").ok();
    (void)zcrxlab::program_loader(elf).ok();
    const std::string trimmed = zcrxlab::without_debug_information(elf);
    if (trimmed.size() > elf.size()) __builtin_trap();
    return 0;
}
