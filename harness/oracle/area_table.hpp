// AreaTable: what a CQE's offset means, from the registrations of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "harness/trace/event.hpp"
#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

inline constexpr uint64_t kGuestPageSize = 4096;

class AreaTable {
  public:
    void add(const IfqRegistered& ifq) { ifqs_[ifq.ifq] = &ifq; }
    void add(const AreaRegistered& area) { areas_[{area.ifq, area.area}] = &area; }

    // Nothing if there is none; pointers live as long as the events.
    const IfqRegistered* ifq(uint32_t ifq) const {
        const auto found = ifqs_.find(ifq);
        return found == ifqs_.end() ? nullptr : found->second;
    }
    // The area that an offset (of a CQE or a refill entry) names, whether or not the offset lies
    // inside it.
    const AreaRegistered* area_of(uint32_t ifq, uint64_t offset) const {
        const auto found =
            areas_.find({ifq, static_cast<uint32_t>(offset >> uapi::kZcrxAreaShift)});
        return found == areas_.end() ? nullptr : found->second;
    }
    // Bytes of all areas of an ifq.
    uint64_t bytes_of(uint32_t ifq) const {
        uint64_t bytes = 0;
        for (const auto& [key, area] : areas_)
            if (key.first == ifq) bytes += area->length;
        return bytes;
    }
    // The guest physical address behind an offset; nothing if its page is not known.
    std::optional<uint64_t> physical(uint32_t ifq, uint64_t offset) const {
        const AreaRegistered* area = area_of(ifq, offset);
        if (area == nullptr) return {};
        const uint64_t inside = offset & uapi::kZcrxOffsetMask;
        const uint64_t page = inside / kGuestPageSize;
        // A page number of 0 is what /proc/self/pagemap shows to a reader without the right.
        if (page >= area->pages.size() || area->pages[page] == 0) return {};
        return area->pages[page] + inside % kGuestPageSize;
    }

  private:
    std::map<uint32_t, const IfqRegistered*> ifqs_;
    std::map<std::pair<uint32_t, uint32_t>, const AreaRegistered*> areas_;
};

}  // namespace zcrxlab
