// Registration: allocates the memory, sets the options, and writes over the fields that a list
// names.
#include "lists/player/registration.hpp"

#include <algorithm>
#include <cstring>

namespace zcrxlab {

namespace {

// Memory that is really there; larger areas have the same memory again and again.
constexpr uint64_t kMostMemory = 256U << 20;
constexpr uint64_t kHugePage = 2U << 20;

AreaKind kind_from(const std::string& word) {
    if (word == "huge") return AreaKind::kHugePages;
    if (word == "transparent") return AreaKind::kTransparent;
    if (word == "memfd") return AreaKind::kMemfd;
    if (word == "huge_memfd") return AreaKind::kHugeMemfd;
    return AreaKind::kAnonymous;
}

uint64_t rounded_up(uint64_t bytes, uint64_t unit) {
    return std::max<uint64_t>((bytes + unit - 1) / unit, 1) * unit;
}

template <typename Field>
void set_field(Field& field, const Action& action, std::string_view parameter) {
    if (action.has(parameter)) field = static_cast<Field>(action.number(parameter));
}

void set_fields(IfqRequest& request, const Action& action) {
    uapi::ZcrxIfqReg& registration = request.registration;
    set_field(registration.flags, action, "reg.flags");
    set_field(registration.queue, action, "reg.if_rxq");
    set_field(registration.interface, action, "reg.if_idx");
    set_field(registration.rq_entries, action, "reg.rq_entries");
    set_field(registration.zcrx_id, action, "reg.zcrx_id");
    set_field(registration.reserved[0], action, "reg.resv");
    set_field(registration.reserved[1], action, "reg.resv1");
    set_field(registration.area, action, "reg.area_ptr");
    set_field(registration.region, action, "reg.region_ptr");
    set_field(registration.event_desc, action, "reg.event_desc");
    set_field(request.area.address, action, "area.addr");
    request.area.address += action.number("area.offset");
    set_field(request.area.length, action, "area.len");
    set_field(request.area.token, action, "area.token");
    set_field(request.area.flags, action, "area.flags");
    set_field(request.area.dmabuf_fd, action, "area.dmabuf_fd");
    set_field(request.area.reserved[0], action, "area.resv");
    set_field(request.area.reserved[1], action, "area.resv1");
    set_field(request.region.user_address, action, "region.addr");
    set_field(request.region.size, action, "region.size");
    set_field(request.region.flags, action, "region.flags");
    set_field(request.region.id, action, "region.id");
    set_field(request.region.mmap_offset, action, "region.mmap_offset");
    set_field(request.event.type_mask, action, "event.type_mask");
    set_field(request.event.flags, action, "event.flags");
    set_field(request.event.stats_offset, action, "event.stats_offset");
    set_field(request.event.reserved[8], action, "event.resv");
}

}  // namespace

Result<AreaMemory> memory_for(const Action& action) {
    const uint64_t bytes = action.number("area");
    const std::string word = action.word("memory");
    if (word == "repeated") {
        const uint64_t repeat = rounded_up(action.number("repeat"), kPageSize);
        return AreaMemory::repeating(repeat, rounded_up(bytes, repeat));
    }
    if (bytes > kMostMemory)
        return Error{EINVAL, "an area of " + size_text(bytes) +
                                 " needs memory=repeated; real memory is for 256MiB at most"};
    const bool huge = word == "huge" || word == "huge_memfd";
    return AreaMemory::allocate(kind_from(word), rounded_up(bytes, huge ? kHugePage : kPageSize));
}

Result<std::unique_ptr<IfqRequest>> request_for(const Action& action, uint32_t number,
                                                const std::string& interface, uint32_t queue) {
    IfqOptions options;
    options.number = number;
    options.interface = interface;
    options.queue = queue;
    options.rq_entries = static_cast<uint32_t>(action.number("rq"));
    options.rq_memory_of_kernel = action.word("rq_memory") == "kernel";
    options.buffer_length = static_cast<uint32_t>(action.number("rx_buf_len"));
    options.area_size = kPageSize;
    options.zero_copy_expected = !action.yes("copies");
    const std::string events = action.word("events");
    if (events != "none" || action.yes("stats")) {
        options.events = EventOptions{.user_data = kEventData | number,
                                      .types = events == "none"         ? 0U
                                               : events == "alloc_fail" ? 1U
                                               : events == "copy"       ? 2U
                                                                        : 3U,
                                      .statistics = action.yes("stats")};
    }
    Result<AreaMemory> memory = memory_for(action);
    if (!memory) return memory.error();
    if (options.rq_entries == 0) {
        uint64_t entries = 1;
        while (entries < memory->size() / kPageSize && entries < 32768) entries *= 2;
        options.rq_entries = static_cast<uint32_t>(entries);
    }
    auto request = IfqRequest::prepare(options);
    if (!request) return request;
    (*request)->area_memory = std::move(*memory);
    (*request)->area.address = reinterpret_cast<uintptr_t>((*request)->area_memory.data());
    (*request)->area.length = action.number("area");
    // Not rounded, so that a length that is no multiple of a page can be tried.
    if (action.word("memory") == "repeated" || action.word("memory").starts_with("huge"))
        (*request)->area.length = (*request)->area_memory.size();
    if (action.yes("dirty") && !options.rq_memory_of_kernel)
        std::memset((*request)->region_memory.data(), 0xff, (*request)->region.size);
    set_fields(**request, action);
    return request;
}

}  // namespace zcrxlab
