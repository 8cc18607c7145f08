// Unpacks a kernel with libarchive, and finds its entry.
#include "vm/image/unpacked_kernel.hpp"

#include <archive.h>
#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "harness/base/file.hpp"
#include "kernels/bzimage.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

constexpr uint16_t kOldestProtocol = 0x0208;
constexpr size_t kSectorSize = 512;
constexpr size_t kLargestKernel = size_t{512} << 20;
constexpr uint32_t kEntryNote = 18;  // XEN_ELFNOTE_PHYS32_ENTRY
constexpr std::string_view kEntryNoteName{"Xen\0", 4};

// The structure at `offset`, or none if it does not lie in `bytes`.
template <typename T>
const T* copy_of(std::string_view bytes, uint64_t offset, T& into) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return nullptr;
    std::memcpy(&into, bytes.data() + offset, sizeof(T));
    return &into;
}

Result<std::string> unpacked(std::string_view packed, size_t size) {
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                        archive_read_free);
    archive_read_support_filter_all(reader.get());
    archive_read_support_format_raw(reader.get());
    archive_entry* entry = nullptr;
    // No more memory than there is to be had: the size is what the image says.
    constexpr size_t kStep = size_t{4} << 20;
    std::string bytes;
    size_t used = 0;
    if (archive_read_open_memory(reader.get(), packed.data(), packed.size()) == ARCHIVE_OK &&
        archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
        while (used < size) {
            bytes.resize(std::min(size, used + kStep));
            const la_ssize_t got =
                archive_read_data(reader.get(), bytes.data() + used, bytes.size() - used);
            if (got <= 0) break;
            used += static_cast<size_t>(got);
        }
    }
    if (used != size) return Error{EINVAL, "The kernel image cannot be unpacked."};
    return bytes;
}

bool has_entry_note(std::string_view notes) {
    constexpr uint64_t kAlign = 4;
    const auto aligned = [](uint64_t size) { return (size + kAlign - 1) / kAlign * kAlign; };
    Elf64_Nhdr note;
    for (uint64_t at = 0; copy_of(notes, at, note) != nullptr;) {
        const std::string_view rest = notes.substr(at + sizeof(note));
        if (note.n_type == kEntryNote && note.n_namesz == kEntryNoteName.size() &&
            rest.starts_with(kEntryNoteName))
            return true;
        at += sizeof(note) + aligned(note.n_namesz) + aligned(note.n_descsz);
    }
    return false;
}

bool can_be_entered(std::string_view elf) {
    Elf64_Ehdr header;
    if (copy_of(elf, 0, header) == nullptr || !elf.starts_with(ELFMAG) ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
        return false;
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (copy_of(elf, header.e_phoff + i * sizeof(segment), segment) == nullptr) return false;
        if (segment.p_type != PT_NOTE || segment.p_offset > elf.size()) continue;
        if (has_entry_note(elf.substr(segment.p_offset, segment.p_filesz))) return true;
    }
    return false;
}

}  // namespace

Result<std::string> unpacked_kernel(std::string_view image) {
    const Error no_image{EINVAL, "This is no bzImage, or a broken one."};
    if (!bzimage_release(std::as_bytes(std::span(image)))) return no_image;
    BzImageHeader header;
    BzImagePayload payload;
    if (copy_of(image, 0, header) == nullptr || header.version < kOldestProtocol ||
        copy_of(image, kBzImagePayloadAt, payload) == nullptr)
        return no_image;
    const size_t sectors = header.setup_sects != 0 ? header.setup_sects : 4;
    const uint64_t start = (sectors + 1) * kSectorSize + payload.offset;
    Le32 size{};
    if (start > image.size() || payload.length > image.size() - start ||
        payload.length < sizeof(size))
        return no_image;
    const std::string_view packed = image.substr(start, payload.length - sizeof(size));
    copy_of(image, start + packed.size(), size);
    if (size > kLargestKernel) return no_image;
    Result<std::string> elf = unpacked(packed, size);
    if (elf && !can_be_entered(*elf))
        return Error{ENOTSUP, "The kernel has no entry for virtual machines (CONFIG_PVH)."};
    return elf;
}

Result<void> unpack_kernel(const std::filesystem::path& image, const std::filesystem::path& file) {
    const Result<std::string> bytes = read_file(image, kLargestKernel);
    if (!bytes) return bytes.error();
    const Result<std::string> elf = unpacked_kernel(*bytes);
    if (!elf) return elf.error();
    return write_whole(file, *elf);
}

}  // namespace zcrxlab
