// Builds ELF files and compresses them.
#include "tests/vm/image/fake_module.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>

#include <cstring>

namespace zcrxlab {

std::string fake_module(std::string_view modinfo) {
    static constexpr std::string_view kNames("\0.modinfo\0.shstrtab\0", 20);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 2;
    Elf64_Shdr sections[3]{};
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof(header);
    sections[1].sh_size = modinfo.size();
    sections[2].sh_name = 10;
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = sizeof(header) + modinfo.size();
    sections[2].sh_size = kNames.size();
    header.e_shoff = sizeof(header) + modinfo.size() + kNames.size();
    std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
    file.append(modinfo).append(kNames);
    return file.append(reinterpret_cast<const char*>(sections), sizeof(sections));
}

std::string fake_module_depending_on(std::string_view depends) {
    std::string modinfo("license=GPL");
    modinfo += '\0';
    modinfo.append("depends=").append(depends) += '\0';
    modinfo.append("name=fake") += '\0';
    return fake_module(modinfo);
}

std::string compressed(std::string_view content, const char* filter) {
    std::string result(content.size() + 4096, '\0');
    size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_add_filter_by_name(writer, filter);
    archive_write_set_format_raw(writer);
    archive_write_set_bytes_per_block(writer, 0);
    archive_write_open_memory(writer, result.data(), result.size(), &used);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    result.resize(used);
    return result;
}

}  // namespace zcrxlab
