// DmaMap: how ranges are kept, found and accessed.
#include "nic/transport/dma_map.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>

#include "nic/transport/protocol.hpp"

namespace zcrxlab::nic::vfio_user {

namespace {

constexpr size_t kUnmappedRemembered = 4096;

std::string hex(uint64_t value) {
    char text[19];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string range_text(uint64_t address, uint64_t size) {
    return "DMA range " + hex(address) + " of " + hex(size) + " bytes";
}

}  // namespace

Result<void> DmaMap::map(uint64_t address, uint64_t size, uint64_t offset, Rights rights, Fd file) {
    uint64_t last = address + size - 1;
    if (size == 0 || last < address)
        return Error{EINVAL, range_text(address, size) + " is empty or wraps."};
    if (address % kPage != 0 || size % kPage != 0 || offset % kPage != 0)
        return Error{EINVAL, range_text(address, size) + " at file offset " + hex(offset) +
                                 " is not made of whole pages."};
    if (!rights.read && !rights.write)
        return Error{EINVAL, range_text(address, size) + " can be neither read nor written."};
    auto next = ranges_.lower_bound(address);
    if ((next != ranges_.end() && next->second.first <= last) ||
        (next != ranges_.begin() && std::prev(next)->second.last >= address))
        return Error{EEXIST, range_text(address, size) + " overlaps one that is mapped."};
    if (ranges_.size() >= kMaximumDmaMaps)
        return Error{ENOSPC, "There are " + std::to_string(kMaximumDmaMaps) +
                                 " DMA ranges already; that is the limit."};
    Range range{.first = address, .last = last, .bytes = nullptr, .rights = rights, .file = {}};
    if (file) {
        uint64_t end = offset + size;
        if (end < offset) return Error{EINVAL, range_text(address, size) + " wraps in its file."};
        auto opened = open_file(file, end, rights.write);
        if (!opened) return opened.error();
        range.file = std::move(opened->file);
        range.bytes = range.file->mapping.data() + offset;
        range.offset = offset;
        if (places_.size() < kMaximumDmaMaps || places_.contains(opened->key)) {
            Places& places = places_[opened->key];
            learn(places, offset, end, address);
            range.places = &places;
        }
    }
    ranges_.emplace_hint(next, address, std::move(range));
    return {};
}

// What is known already stays as it is.
void DmaMap::learn(Places& places, uint64_t offset, uint64_t end, uint64_t physical) {
    for (uint64_t at = offset; at < end && places.size() < kMaximumDmaMaps;) {
        const auto next = places.upper_bound(at);
        if (next != places.begin() && std::prev(next)->second.end > at) {
            at = std::prev(next)->second.end;
            continue;
        }
        const uint64_t stop = next == places.end() ? end : std::min(end, next->first);
        places.emplace_hint(next, at, Place{stop, physical + (at - offset)});
        at = stop;
    }
}

std::optional<uint64_t> DmaMap::look_up(const Places& places, uint64_t offset, uint64_t end) {
    auto place = places.upper_bound(offset);
    if (place == places.begin() || (--place)->second.end <= offset) return std::nullopt;
    const uint64_t first = place->second.physical + (offset - place->first);
    while (place->second.end < end) {
        const auto next = std::next(place);
        if (next == places.end() || next->first != place->second.end ||
            next->second.physical != first + (next->first - offset))
            return std::nullopt;
        place = next;
    }
    return first;
}

Result<DmaMap::Opened> DmaMap::open_file(const Fd& file, uint64_t end, bool for_writing) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return error_from_errno("fstat of a DMA range's file");
    // Touching a page beyond the end of a file is SIGBUS.
    if (!S_ISREG(status.st_mode) || end > static_cast<uint64_t>(status.st_size))
        return Error{EINVAL, "A DMA range lies beyond the end of its file, or that is no file."};
    const FileKey key(status.st_dev, status.st_ino);
    std::weak_ptr<File>& known = files_[key];
    if (auto shared = known.lock();
        shared && end <= shared->mapping.size() && (shared->writable || !for_writing))
        return Opened{shared, key};
    auto opened = std::make_shared<File>();
    auto size = static_cast<size_t>(status.st_size);
    auto mapping = Mapping::map(size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
    opened->writable = mapping.ok();
    if (!mapping && !for_writing) mapping = Mapping::map(size, PROT_READ, MAP_SHARED, file.get());
    if (!mapping) {
        if (known.expired()) files_.erase(key);
        return mapping.error();
    }
    opened->mapping = std::move(mapping).value();
    known = opened;
    return Opened{opened, key};
}

Result<uint64_t> DmaMap::unmap(uint64_t address, uint64_t size) {
    uint64_t last = address + size - 1;
    if (size == 0 || last < address)
        return Error{EINVAL, range_text(address, size) + " is empty or wraps."};
    auto begin = ranges_.lower_bound(address);
    auto end = ranges_.upper_bound(last);
    bool cut_front = begin != ranges_.begin() && std::prev(begin)->second.last >= address;
    bool cut_back = begin != end && std::prev(end)->second.last > last;
    if (cut_front || cut_back)
        return Error{EINVAL,
                     "Unmapping " + range_text(address, size) + " would cut a range in two."};
    recent_.fill(nullptr);
    auto count = static_cast<uint64_t>(std::distance(begin, end));
    for (auto range = begin; range != end; ++range) remember_unmapped(range->second);
    ranges_.erase(begin, end);
    std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
    return count;
}

uint64_t DmaMap::unmap_all() {
    recent_.fill(nullptr);
    uint64_t count = ranges_.size();
    ranges_.clear();
    files_.clear();
    return count;
}

void DmaMap::forget_client() {
    unmap_all();
    places_.clear();
    unmapped_.clear();
}

size_t DmaMap::files() const {
    return static_cast<size_t>(std::count_if(
        files_.begin(), files_.end(), [](const auto& entry) { return !entry.second.expired(); }));
}

const DmaMap::Range* DmaMap::find(uint64_t address) {
    const Range*& recent = recent_[address / kPage % recent_.size()];
    if (recent != nullptr && recent->first <= address && address <= recent->last) return recent;
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return nullptr;
    const Range& range = std::prev(after)->second;
    if (address > range.last) return nullptr;
    recent = &range;
    return recent;
}

std::span<std::byte> DmaMap::piece(uint64_t address, size_t size, bool for_writing) {
    const Range* range = find(address);
    if (range == nullptr || range->bytes == nullptr) return {};
    if (for_writing ? !range->rights.write : !range->rights.read) return {};
    uint64_t after = range->last - address;  // bytes behind the first one
    size_t count = size - 1 <= after ? size : static_cast<size_t>(after) + 1;
    return {range->bytes + (address - range->first), count};
}

template <typename Visit>
bool DmaMap::each_piece(uint64_t address, size_t size, bool for_writing, Visit visit) {
    size_t done = 0;
    while (done < size) {
        if (address + done < address) return false;
        auto part = piece(address + done, size - done, for_writing);
        if (part.empty()) return false;
        visit(part, done);
        done += part.size();
    }
    return true;
}

void DmaMap::remember_unmapped(const Range& range) {
    if (unmapped_.size() == kUnmappedRemembered) unmapped_.pop_front();
    unmapped_.emplace_back(range.first, range.last);
}

std::string_view DmaMap::why_refused(uint64_t address, uint64_t size, bool for_writing) const {
    if (!bus_master_) return "cannot be reached while bus mastering is off";
    const uint64_t last = address + std::max<uint64_t>(size, 1) - 1;
    if (last < address) return "goes beyond the end of the address space";
    for (uint64_t at = address;;) {
        auto after = ranges_.upper_bound(at);
        if (after == ranges_.begin() || std::prev(after)->second.last < at) {
            const bool was = std::any_of(
                unmapped_.begin(), unmapped_.end(),
                [at](const auto& gone) { return gone.first <= at && at <= gone.second; });
            return was ? "is not mapped any more" : "is not mapped";
        }
        const Range& range = std::prev(after)->second;
        if (range.bytes == nullptr) return "is memory of another device";
        if (for_writing && !range.rights.write) return "is mapped for reading only";
        if (!for_writing && !range.rights.read) return "is mapped for writing only";
        if (range.last >= last) return "is not aligned";  // nothing else is left
        at = range.last + 1;
    }
}

std::optional<uint64_t> DmaMap::physical(uint64_t address, uint64_t size) const {
    std::optional<uint64_t> first;
    for (uint64_t done = 0; done < size;) {
        const uint64_t at = address + done;
        const auto after = ranges_.upper_bound(at);
        if (at < address || after == ranges_.begin()) return std::nullopt;
        const Range& range = std::prev(after)->second;
        if (at > range.last || range.places == nullptr) return std::nullopt;
        // A range may end at 2^64.
        const uint64_t count = std::min(size - done - 1, range.last - at) + 1;
        const uint64_t offset = range.offset + (at - range.first);
        const auto here = look_up(*range.places, offset, offset + count);
        if (!here || first.value_or(*here) + done != *here) return std::nullopt;
        if (done == 0) first = here;
        done += count;
    }
    return first;
}

bool DmaMap::refuse() {
    refused_ += 1;
    return false;
}

bool DmaMap::read(uint64_t address, std::span<std::byte> out) {
    if (!bus_master_) return refuse();
    bool whole = each_piece(address, out.size(), false, [&](std::span<std::byte> part, size_t at) {
        std::memcpy(out.data() + at, part.data(), part.size());
    });
    return whole || refuse();
}

bool DmaMap::write(uint64_t address, std::span<const std::byte> bytes) {
    if (!bus_master_) return refuse();
    if (bytes.empty()) return true;
    auto only = piece(address, bytes.size(), true);
    if (only.size() == bytes.size()) {
        std::memcpy(only.data(), bytes.data(), bytes.size());
        return true;
    }
    // Nothing may be written unless all of it can be.
    if (!each_piece(address, bytes.size(), true, [](std::span<std::byte>, size_t) {}))
        return refuse();
    return each_piece(address, bytes.size(), true, [&](std::span<std::byte> part, size_t at) {
        std::memcpy(part.data(), bytes.data() + at, part.size());
    });
}

template <typename T>
bool DmaMap::store(uint64_t address, T value) {
    if (!bus_master_ || address % sizeof(T) != 0) return refuse();
    auto part = piece(address, sizeof(T), true);
    if (part.size() != sizeof(T)) return refuse();
    // Ranges and files are made of whole pages, so the host address is as aligned as the guest's.
    std::atomic_ref<T>(*reinterpret_cast<T*>(part.data())).store(value, std::memory_order_release);
    return true;
}

bool DmaMap::store_release(uint64_t address, uint16_t value) {
    return store(address, value);
}
bool DmaMap::store_release(uint64_t address, uint32_t value) {
    return store(address, value);
}

}  // namespace zcrxlab::nic::vfio_user
