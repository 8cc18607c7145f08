// What is taken out of a bzImage, and what is left packed.
#include "vm/image/unpacked_kernel.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/fakes/bzimage.hpp"

namespace zcrxlab {
namespace {

template <typename T>
void append(std::string& to, const T& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A program of one segment, which holds one note.
std::string elf_with_note(uint32_t type, const std::string& name = std::string("Xen\0", 4)) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header + sizeof segment;
    std::string notes;
    append(notes, Elf64_Nhdr{4, 5, 1});  // one that is passed over, with padding
    notes += std::string("GNU\0wide.\0\0\0", 12);
    append(notes, Elf64_Nhdr{static_cast<Elf64_Word>(name.size()), 8, type});
    notes += name + std::string(8, '\x11');
    segment.p_filesz = notes.size();
    std::string elf;
    append(elf, header);
    append(elf, segment);
    return elf + notes;
}

std::string packed(const std::string& bytes) {
    std::string out(bytes.size() + 4096, '\0');
    size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_set_format_raw(writer);
    archive_write_add_filter_gzip(writer);
    archive_write_open_memory(writer, out.data(), out.size(), &used);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    archive_write_data(writer, bytes.data(), bytes.size());
    archive_entry_free(entry);
    archive_write_free(writer);
    out.resize(used);
    return out;
}

std::string bzimage_with(const std::string& elf) {
    std::string image = fake::bzimage("7.3.4");
    const std::string payload = packed(elf);
    BzImagePayload where;
    where.offset = 16;
    where.length = static_cast<uint32_t>(payload.size() + 4);
    std::memcpy(image.data() + kBzImagePayloadAt, &where, sizeof where);
    Le32 size;
    size = static_cast<uint32_t>(elf.size());
    image += std::string(16, '\xee') + payload;
    append(image, size);
    return image;
}

TEST(UnpackedKernel, IsTheProgramInTheImage) {
    const std::string elf = elf_with_note(18);
    const auto unpacked = unpacked_kernel(bzimage_with(elf));
    ASSERT_TRUE(unpacked) << unpacked.error().sentence;
    EXPECT_EQ(*unpacked, elf);
}

TEST(UnpackedKernel, NeedsAnEntry) {
    EXPECT_EQ(unpacked_kernel(bzimage_with(elf_with_note(17))).error().code, ENOTSUP);
    EXPECT_EQ(unpacked_kernel(bzimage_with(elf_with_note(18, "Xen"))).error().code, ENOTSUP);
    EXPECT_EQ(unpacked_kernel(bzimage_with("#!/bin/sh")).error().code, ENOTSUP);
}

TEST(UnpackedKernel, OfACutImageIsNone) {
    const std::string image = bzimage_with(elf_with_note(18));
    for (const size_t size : {size_t{0}, size_t{0x210}, size_t{0x24c}, image.size() - 1})
        EXPECT_EQ(unpacked_kernel(image.substr(0, size)).error().code, EINVAL) << size;
}

TEST(UnpackedKernel, OfAWildPayloadIsNone) {
    for (const size_t at : {size_t{0}, size_t{4}}) {
        std::string image = bzimage_with(elf_with_note(18));
        image[kBzImagePayloadAt + at + 3] = '\x7f';
        EXPECT_EQ(unpacked_kernel(image).error().code, EINVAL) << at;
    }
    std::string image = bzimage_with(elf_with_note(18));
    image.back() = '\x7f';  // the unpacked size
    EXPECT_EQ(unpacked_kernel(image).error().code, EINVAL);
    image = bzimage_with(elf_with_note(18));
    image[image.size() - 4]++;  // a byte more than there is
    EXPECT_EQ(unpacked_kernel(image).error().code, EINVAL);
}

}  // namespace
}  // namespace zcrxlab
