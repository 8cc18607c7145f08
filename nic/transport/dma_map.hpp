// DmaMap: the guest memory that a vfio-user client has made reachable, by bus address.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "harness/base/result.hpp"
#include "nic/dma.hpp"

namespace zcrxlab::nic::vfio_user {

// Ranges come and go as messages say; each file behind them is mmap()ed once, however many ranges
// show parts of it (a guest with an IOMMU maps page by page). While bus mastering is off every
// access fails.
//
// A client with an IOMMU says nothing of physical addresses. But until its guest turns that on, all
// of the guest's memory is mapped at its physical addresses (QEMU's vtd_switch_address_space() in
// hw/i386/intel_iommu.c); so the first range that shows a byte of a file tells where that byte is.
// Not thread-safe: use it from the thread that serves the client.
class DmaMap : public Dma {
  public:
    static constexpr uint64_t kPage = 4096;  // addresses, sizes and offsets are multiples of it

    struct Rights {
        bool read = false;
        bool write = false;
    };

    DmaMap() = default;
    DmaMap(const DmaMap&) = delete;
    DmaMap& operator=(const DmaMap&) = delete;

    // Makes [address, address + size) the bytes at `offset` of `file`, which is closed afterwards.
    // Without a file the range is remembered, but every access to it fails (a ROM that the client
    // cannot share). EINVAL: empty, wrapping, misaligned, no rights, not a regular file, or beyond
    // its end; EEXIST: overlaps a range; ENOSPC: too many ranges; EACCES: write access to a file
    // opened for reading; or the errno of mmap.
    Result<void> map(uint64_t address, uint64_t size, uint64_t offset, Rights rights, Fd file);
    // Forgets every range inside [address, address + size) and returns how many there were; none
    // is no error, because a client with an IOMMU clears whole windows. EINVAL, and nothing
    // forgotten, if that would cut a range in two.
    Result<uint64_t> unmap(uint64_t address, uint64_t size);
    uint64_t unmap_all();
    // The client is gone, and with it everything that it has told.
    void forget_client();

    void set_bus_master(bool on) { bus_master_ = on; }

    bool read(uint64_t address, std::span<std::byte> out) override;
    bool write(uint64_t address, std::span<const std::byte> bytes) override;
    bool store_release(uint64_t address, uint16_t value) override;
    bool store_release(uint64_t address, uint32_t value) override;
    std::string_view why_refused(uint64_t address, uint64_t size, bool for_writing) const override;
    std::optional<uint64_t> physical(uint64_t address, uint64_t size) const override;

    size_t ranges() const { return ranges_.size(); }
    // Files mmap()ed now, and accesses refused so far.
    size_t files() const;
    uint64_t refused() const { return refused_; }

  private:
    struct File {
        Mapping mapping;  // the whole file
        bool writable = false;
    };
    using FileKey = std::pair<uint64_t, uint64_t>;  // device and inode
    // Bytes of a file that lie one behind the other in the guest's physical memory.
    struct Place {
        uint64_t end = 0;  // in the file
        uint64_t physical = 0;
    };
    using Places = std::map<uint64_t, Place>;  // by offset in the file
    struct Range {
        uint64_t first = 0;
        uint64_t last = 0;  // inclusive: a range may end at 2^64
        std::byte* bytes = nullptr;
        Rights rights;
        std::shared_ptr<File> file;
        uint64_t offset = 0;             // of the first byte in its file
        const Places* places = nullptr;  // of the file
    };
    struct Opened {
        std::shared_ptr<File> file;
        FileKey key;
    };
    Result<Opened> open_file(const Fd& file, uint64_t end, bool for_writing);
    static void learn(Places& places, uint64_t offset, uint64_t end, uint64_t physical);
    static std::optional<uint64_t> look_up(const Places& places, uint64_t offset, uint64_t end);
    const Range* find(uint64_t address);
    void remember_unmapped(const Range& range);
    // Host memory of the part of [address, address + size) that its first range holds, or an empty
    // span.
    std::span<std::byte> piece(uint64_t address, size_t size, bool for_writing);
    template <typename Visit>
    bool each_piece(uint64_t address, size_t size, bool for_writing, Visit visit);
    template <typename T>
    bool store(uint64_t address, T value);
    bool refuse();

    std::map<uint64_t, Range> ranges_;  // by first address
    std::map<FileKey, std::weak_ptr<File>> files_;
    std::map<FileKey, Places> places_;  // of the client's files, those not mapped now included
    // Ranges found lately, by page number: every packet comes through here.
    std::array<const Range*, 64> recent_{};
    // Those that were unmapped last, oldest first, so that a write that comes too late is called
    // one.
    std::deque<std::pair<uint64_t, uint64_t>> unmapped_;  // first and last address
    bool bus_master_ = false;
    uint64_t refused_ = 0;
};

}  // namespace zcrxlab::nic::vfio_user
