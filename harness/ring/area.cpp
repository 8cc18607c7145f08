// Allocates areas, and reads /proc/self/pagemap.
#include "harness/ring/area.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <optional>

namespace zcrxlab {
namespace {

constexpr size_t kHugePage = 2U << 20;
// Documentation/admin-guide/mm/pagemap.rst: bits 0-54 page frame, bit 63 present.
constexpr uint64_t kFrameMask = (uint64_t{1} << 55) - 1;
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr const char* kHugePagesPath = "/proc/sys/vm/nr_hugepages";

Error huge_page_error(size_t size) {
    Error error = error_from_errno("allocate " + std::to_string(size) + " bytes of huge pages");
    error.sentence += "; type: echo " + std::to_string(size / kHugePage) + " > " + kHugePagesPath;
    return error;
}

// Writes one byte of each page, so that every page is there and its own.
void touch(std::span<std::byte> memory) {
    for (size_t at = 0; at < memory.size(); at += kPageSize) {
        auto* byte = const_cast<volatile std::byte*>(memory.data() + at);
        *byte = std::byte{0};
    }
}

// Bytes from the beginning of the mapping to the first address that `unit` divides.
size_t to_multiple_of(size_t unit, const Mapping& mapping) {
    return (unit - reinterpret_cast<uintptr_t>(mapping.data()) % unit) % unit;
}

std::string_view name_of(AreaKind kind) {
    switch (kind) {
        case AreaKind::kAnonymous:
            break;
        case AreaKind::kHugePages:
            return "huge";
        case AreaKind::kTransparent:
            return "transparent";
        case AreaKind::kMemfd:
            return "memfd";
        case AreaKind::kHugeMemfd:
            return "huge_memfd";
    }
    return "anonymous";
}

}  // namespace

Result<AreaMemory> AreaMemory::allocate(AreaKind kind, size_t size) {
    const bool huge = kind == AreaKind::kHugePages || kind == AreaKind::kHugeMemfd;
    const size_t unit = huge ? kHugePage : kPageSize;
    if (size == 0 || size % unit != 0) {
        return Error{EINVAL, "an area of " + std::to_string(size) +
                                 " bytes is no multiple of its page size " + std::to_string(unit)};
    }
    AreaMemory area;
    area.size_ = size;
    area.name_ = name_of(kind);
    if (kind == AreaKind::kMemfd || kind == AreaKind::kHugeMemfd) {
        area.fd_ = Fd(::memfd_create("zcrx area",
                                     MFD_CLOEXEC | MFD_ALLOW_SEALING | (huge ? MFD_HUGETLB : 0U)));
        if (!area.fd_) return error_from_errno("memfd_create");
        if (::ftruncate(area.fd_.get(), static_cast<off_t>(size)) != 0)
            return error_from_errno("give the memfd " + std::to_string(size) + " bytes");
        auto mapping = Mapping::map(size, PROT_READ | PROT_WRITE, MAP_SHARED, area.fd_.get());
        if (!mapping) return huge ? huge_page_error(size) : mapping.error();
        area.mapping_ = std::move(*mapping);
    } else if (kind == AreaKind::kTransparent) {
        auto mapping = Mapping::anonymous(size + kHugePage);
        if (!mapping) return mapping.error();
        area.mapping_ = std::move(*mapping);
        area.skip_ = to_multiple_of(kHugePage, area.mapping_);
        // A kernel without transparent huge pages still gives an area, of small pages.
        ::madvise(area.data(), size, MADV_HUGEPAGE);
    } else {
        auto mapping = Mapping::anonymous(size, huge ? MAP_HUGETLB : 0);
        if (!mapping) return huge ? huge_page_error(size) : mapping.error();
        area.mapping_ = std::move(*mapping);
    }
    touch(area.bytes());
    return area;
}

Result<AreaMemory> AreaMemory::repeating(size_t repeated, size_t total, AreaKind kind) {
    if (kind != AreaKind::kMemfd && kind != AreaKind::kHugeMemfd)
        return Error{EINVAL, "only a memfd can be mapped again and again"};
    const bool huge = kind == AreaKind::kHugeMemfd;
    const size_t unit = huge ? kHugePage : kPageSize;
    if (repeated == 0 || repeated % unit != 0 || total == 0 || total % repeated != 0) {
        return Error{EINVAL,
                     "the total of a repeating area must be a multiple of the repeated "
                     "part, and that of the page size"};
    }
    AreaMemory area;
    area.size_ = total;
    area.name_ = "repeated";
    area.fd_ = Fd(::memfd_create("zcrx area", MFD_CLOEXEC | (huge ? MFD_HUGETLB : 0U)));
    if (!area.fd_) return error_from_errno("memfd_create");
    if (::ftruncate(area.fd_.get(), static_cast<off_t>(repeated)) != 0)
        return error_from_errno("give the memfd " + std::to_string(repeated) + " bytes");
    auto mapping =
        Mapping::map(total + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    if (!mapping) return mapping.error();
    area.mapping_ = std::move(*mapping);
    area.skip_ = to_multiple_of(unit, area.mapping_);
    for (size_t at = 0; at < total; at += repeated) {
        void* placed = ::mmap(area.data() + at, repeated, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, area.fd_.get(), 0);
        if (placed == MAP_FAILED) {
            if (huge && errno == ENOMEM) return huge_page_error(repeated);
            return error_from_errno("map the memfd again at " + std::to_string(at) +
                                    " (see /proc/sys/vm/max_map_count)");
        }
    }
    touch(area.bytes().first(repeated));
    return area;
}

Result<std::vector<uint64_t>> physical_pages(std::span<const std::byte> memory) {
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    if (address % kPageSize != 0) return Error{EINVAL, "the memory is not aligned to pages"};
    const size_t count = (memory.size() + kPageSize - 1) / kPageSize;
    const Fd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (!pagemap) return error_from_errno("open /proc/self/pagemap");
    std::vector<uint64_t> pages(count);
    size_t have = 0;
    const size_t want = count * sizeof(uint64_t);
    const size_t start = address / kPageSize * sizeof(uint64_t);
    while (have < want) {
        const ssize_t got = ::pread(pagemap.get(), reinterpret_cast<char*>(pages.data()) + have,
                                    want - have, static_cast<off_t>(start + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return error_from_errno("read /proc/self/pagemap", got == 0 ? EIO : errno);
        have += static_cast<size_t>(got);
    }
    for (uint64_t& page : pages) {
        const uint64_t frame = page & kFrameMask;
        if ((page & kPresent) == 0)
            return Error{ENODATA, "a page of the memory is not there; touch it before asking"};
        if (frame == 0) {
            return Error{EPERM, "the kernel hides physical addresses; run as root (CAP_SYS_ADMIN)"};
        }
        page = frame * kPageSize;
    }
    return pages;
}

Result<uint64_t> reserve_huge_pages(uint64_t count) {
    const auto read = [](const std::string& path) -> std::optional<uint64_t> {
        uint64_t value = 0;
        if (std::ifstream(path) >> value) return value;
        return std::nullopt;
    };
    const auto before = read(kHugePagesPath);
    if (!before) return Error{ENOENT, std::string("the kernel has no ") + kHugePagesPath};
    const auto free = [&read] {
        return read("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").value_or(0);
    };
    const uint64_t there = free();
    if (there >= count) return *before;
    // A second time when free memory has been moved together: it may have been in pieces. What the
    // kernel caches of its own (dentries, inodes) cannot be moved, so it goes before.
    for (const bool compact : {false, true}) {
        if (compact) std::ofstream("/proc/sys/vm/drop_caches") << 3;
        if (compact) std::ofstream("/proc/sys/vm/compact_memory") << 1;
        std::ofstream(kHugePagesPath) << *before + count - there;
        if (free() >= count) return *before;
    }
    return Error{ENOMEM, "only " + std::to_string(free()) + " of " + std::to_string(count) +
                             " huge pages could be had; free memory, or type: echo " +
                             std::to_string(count) + " > " + kHugePagesPath};
}

}  // namespace zcrxlab
