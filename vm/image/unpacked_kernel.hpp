// Unpacked kernel: the program inside a bzImage, which a virtual machine can enter without having
// unpacked it first. Unpacking takes an emulated CPU longer than most drivers take to start.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/endian.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// Where a bzImage keeps what it unpacks. Source: Documentation/arch/x86/boot.rst, fields
// payload_offset and payload_length, protocol 2.08 and later.
struct BzImagePayload {
    Le32 offset;  // from the end of the set-up code, bytes
    Le32 length;  // bytes; the last four are the unpacked size, as Le32
} __attribute__((packed));
inline constexpr size_t kBzImagePayloadAt = 0x248;
static_assert(sizeof(BzImagePayload) == 8);

// The ELF file in `image`, the bytes of a bzImage. EINVAL if that is none or broken, or packed in a
// way that libarchive does not know; ENOTSUP if the kernel has no entry for virtual machines
// (CONFIG_PVH; the ELF note XEN_ELFNOTE_PHYS32_ENTRY of include/xen/interface/elfnote.h).
Result<std::string> unpacked_kernel(std::string_view image);

// The same from file to file. Wherever it fails, the bzImage itself can be booted.
Result<void> unpack_kernel(const std::filesystem::path& image, const std::filesystem::path& file);

}  // namespace zcrxlab
