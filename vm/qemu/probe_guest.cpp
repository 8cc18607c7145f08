// The code, page tables and segments of the probe guest.
#include "vm/qemu/probe_guest.hpp"

#include <cstring>

namespace zcrxlab::probe_guest {
namespace {

// Page tables that map the first 2 MiB onto themselves.
constexpr uint64_t kTopTableAt = 0x2000;
constexpr uint64_t kPointerTableAt = 0x3000;
constexpr uint64_t kDirectoryAt = 0x4000;
constexpr uint64_t kGdtPointerAt = 0x1500;
constexpr uint64_t kGdtAt = 0x1600;

// The way that a kernel takes: real mode, protected mode, paging, long mode; then work.
constexpr uint8_t kCode[] = {
    0xfa,                                            // cli
    0x2e, 0x66, 0x0f, 0x01, 0x16, 0x00, 0x15,        // lgdtl %cs:0x1500
    0x0f, 0x20, 0xc0,                                // mov %cr0,%eax
    0x66, 0x83, 0xc8, 0x01,                          // or $1,%eax           protected mode
    0x0f, 0x22, 0xc0,                                // mov %eax,%cr0
    0x66, 0xea, 0x1a, 0x10, 0x00, 0x00, 0x08, 0x00,  // ljmpl $8,$0x101a
    0xb8, 0x18, 0x00, 0x00, 0x00,                    // mov $0x18,%eax
    0x8e, 0xd8,                                      // mov %eax,%ds
    0x8e, 0xc0,                                      // mov %eax,%es
    0x8e, 0xd0,                                      // mov %eax,%ss
    0x0f, 0x20, 0xe0,                                // mov %cr4,%eax
    0x83, 0xc8, 0x20,                                // or $0x20,%eax        PAE
    0x0f, 0x22, 0xe0,                                // mov %eax,%cr4
    0xb8, 0x00, 0x20, 0x00, 0x00,                    // mov $0x2000,%eax
    0x0f, 0x22, 0xd8,                                // mov %eax,%cr3
    0xb9, 0x80, 0x00, 0x00, 0xc0,                    // mov $0xc0000080,%ecx EFER
    0x0f, 0x32,                                      // rdmsr
    0x0d, 0x00, 0x01, 0x00, 0x00,                    // or $0x100,%eax       LME
    0x0f, 0x30,                                      // wrmsr
    0x0f, 0x20, 0xc0,                                // mov %cr0,%eax
    0x0d, 0x00, 0x00, 0x00, 0x80,                    // or $0x80000000,%eax  paging
    0x0f, 0x22, 0xc0,                                // mov %eax,%cr0
    0xea, 0x56, 0x10, 0x00, 0x00, 0x10, 0x00,        // ljmp $0x10,$0x1056
    0xb9, 0x80, 0x96, 0x98, 0x00,                    // mov $10000000,%ecx
    0xbf, 0x00, 0x00, 0x10, 0x00,                    // mov $0x100000,%edi
    0x48, 0x01, 0x0f,                                // add %rcx,(%rdi)
    0x48, 0xff, 0xc9,                                // dec %rcx
    0x75, 0xf8,                                      // jne two up
    0xb0, 0x5a,                                      // mov $0x5a,%al
    0xe6, 0x80,                                      // out %al,$0x80
    0xf4,                                            // hlt
    0xeb, 0xfd,                                      // jmp one up
};
static_assert(sizeof(kCode) == 111 && kStart + sizeof(kCode) <= kGdtPointerAt);

// Segment descriptors: none, 32-bit code, 64-bit code, data; flat, ring 0.
constexpr uint64_t kGdt[] = {0, 0x00cf9b000000ffff, 0x00af9b000000ffff, 0x00cf93000000ffff};
constexpr uint64_t kPresentWritable = 0x3;
constexpr uint64_t kLargePage = 0x80;

}  // namespace

void lay_out(std::span<std::byte> memory) {
    if (memory.size() < kMemorySize) return;
    const auto put = [memory](uint64_t at, const void* data, size_t size) {
        std::memcpy(memory.data() + at, data, size);
    };
    const uint64_t top = kPointerTableAt | kPresentWritable;
    const uint64_t pointer = kDirectoryAt | kPresentWritable;
    const uint64_t page = kPresentWritable | kLargePage;
    const uint16_t gdt_limit = sizeof(kGdt) - 1;
    const uint32_t gdt_base = kGdtAt;
    put(kStart, kCode, sizeof(kCode));
    put(kTopTableAt, &top, sizeof(top));
    put(kPointerTableAt, &pointer, sizeof(pointer));
    put(kDirectoryAt, &page, sizeof(page));
    put(kGdtPointerAt, &gdt_limit, sizeof(gdt_limit));
    put(kGdtPointerAt + sizeof(gdt_limit), &gdt_base, sizeof(gdt_base));
    put(kGdtAt, kGdt, sizeof(kGdt));
}

}  // namespace zcrxlab::probe_guest
