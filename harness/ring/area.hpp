// AreaMemory: memory for a zcrx area, and the physical pages behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

inline constexpr size_t kPageSize = 4096;

enum class AreaKind {
    kAnonymous,    // MAP_PRIVATE | MAP_ANONYMOUS
    kHugePages,    // MAP_HUGETLB of 2 MiB; needs /proc/sys/vm/nr_hugepages
    kTransparent,  // anonymous, aligned to 2 MiB, madvise(MADV_HUGEPAGE)
    kMemfd,        // MAP_SHARED of a memfd
    kHugeMemfd,    // the same, MFD_HUGETLB of 2 MiB
};

class AreaMemory {
  public:
    AreaMemory() = default;
    // `size` bytes (a multiple of the page size, of 2 MiB for huge pages), zeroed and populated.
    // ENOMEM without enough huge pages says how to get them.
    static Result<AreaMemory> allocate(AreaKind kind, size_t size);
    // `total` bytes of address space in which one memfd of `repeated` bytes appears again and
    // again: a large area that needs little memory. `total` must be a multiple of `repeated`.
    // `kind` is kMemfd or kHugeMemfd, which is there in a fraction of the time.
    static Result<AreaMemory> repeating(size_t repeated, size_t total,
                                        AreaKind kind = AreaKind::kMemfd);

    std::byte* data() const { return mapping_.data() + skip_; }
    size_t size() const { return size_; }
    // "anonymous", "huge", "transparent", "memfd", "huge_memfd" or "repeated".
    std::string_view name() const { return name_; }
    std::span<std::byte> bytes() const { return {data(), size_}; }
    // The memfd behind it, which can be sealed; -1 without one.
    int fd() const { return fd_.get(); }

  private:
    Mapping mapping_;
    size_t skip_ = 0;  // bytes before the aligned beginning
    size_t size_ = 0;
    std::string_view name_ = "anonymous";
    Fd fd_;
};

// The physical address of each 4096-byte page of `memory` (page aligned), in order; touch it first.
// EPERM without CAP_SYS_ADMIN (the kernel then shows zeros), ENODATA for a page that is not there.
Result<std::vector<uint64_t>> physical_pages(std::span<const std::byte> memory);

// What scenarios reserve at most. Whoever prepares a machine for them can set it apart as long as
// its memory is whole: after some hundred scenarios eight free pieces of 2 MiB may be nowhere.
inline constexpr uint64_t kHugePagesOfScenarios = 8;

// Sets /proc/sys/vm/nr_hugepages so that at least `count` pages of 2 MiB are free; how many there
// were configured before.
Result<uint64_t> reserve_huge_pages(uint64_t count);

}  // namespace zcrxlab
