// Fuzzes what reads ELF files: .modinfo, the loader of a program, and trimming.
//
// reaches vm/image/modules.cpp: if (rest.substr(0, rest.find('\0')) == wanted
// reaches vm/image/modules.cpp: if (line.size() > key.size() &&
// reaches vm/image/program_files.cpp: if (part.p_type != PT_INTERP) continue;
// reaches vm/image/program_files.cpp: if (!header || header->e_phnum == 0) return elf;
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
