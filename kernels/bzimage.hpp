// bzImage: the release that a kernel image says it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "harness/base/endian.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The part of the x86 boot sector that is read here. Source: Documentation/arch/x86/boot.rst, "The
// Real-Mode Kernel Header".
struct BzImageHeader {
    uint8_t legacy_boot_sector[0x1f1];
    uint8_t setup_sects;  // sectors of set-up code after the first; 0 means 4
    Le16 root_flags;
    Le32 syssize;  // of what follows the set-up code, in units of 16 bytes
    Le16 ram_size;
    Le16 vid_mode;
    Le16 root_dev;
    Le16 boot_flag;  // 0xaa55
    Le16 jump;
    Le32 header;   // "HdrS"
    Le16 version;  // of the boot protocol, 0x020f
    Le32 realmode_swtch;
    Le16 start_sys_seg;
    Le16 kernel_version;  // where the version text is, from file offset 0x200; 0 if nowhere
} __attribute__((packed));
static_assert(offsetof(BzImageHeader, setup_sects) == 0x1f1);
static_assert(offsetof(BzImageHeader, syssize) == 0x1f4);
static_assert(offsetof(BzImageHeader, boot_flag) == 0x1fe);
static_assert(offsetof(BzImageHeader, header) == 0x202);
static_assert(offsetof(BzImageHeader, version) == 0x206);
static_assert(offsetof(BzImageHeader, kernel_version) == 0x20e);
static_assert(sizeof(BzImageHeader) == 0x210);

// The release, "7.3.4+deb13-cloud-amd64", in the first bytes of an image. EINVAL if these are not
// those of a bzImage, or name no release.
Result<std::string> bzimage_release(std::span<const std::byte> image);

// The same of a file. EINVAL, ENOENT, EACCES with a sentence.
Result<std::string> bzimage_release(const std::filesystem::path& file);

// How long the file of an image is at least that starts like this, bytes: its set-up code and what
// its header tells of the rest. Nothing if there is no whole header.
std::optional<uint64_t> bzimage_length(std::span<const std::byte> start);

// Whether the file of a bzImage is as long as its header says. EINVAL with a sentence if it is cut
// short.
Result<void> check_bzimage_length(const std::filesystem::path& file);

}  // namespace zcrxlab
