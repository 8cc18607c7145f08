// Chapter registration: every way to be refused, with its errno, and nothing left behind by it.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <string_view>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"

namespace zcrxlab::registration_errors {
namespace {

constexpr uint64_t kWild = 8;                 // an address where nothing is
constexpr uint32_t kNoInterface = 0x7ffffff;  // an interface index that nobody has
constexpr uint32_t kSetupSingle = uapi::kSetupSingleIssuer;

Terms everywhere() {
    return Needs{};
}
Terms with_events() {
    return Needs{.features = {Feature::kEvents}};
}
Terms on_device() {
    return Needs{.where = Where::kDevice};
}

// A row: what is bent, and the errno that is promised for it.
struct Refusal {
    std::string name;
    std::string_view claims;
    int expected;
    void (*bend)(BentRequest&);
    Terms terms = everywhere();
    RingOptions ring = {};
    int otherwise = 0;  // the errno of older kernels
};

// In a region that has room for the most entries there are, so that it is no reason, too.
void ask_for_entries(BentRequest& b, uint32_t entries) {
    b.request.registration.rq_entries = entries;
    b.request.region.size = uint64_t{1} << 20;
}
void ask_for_statistics(BentRequest& b, uint64_t offset) {
    b.request.registration.event_desc = reinterpret_cast<uintptr_t>(&b.request.event);
    b.request.event.flags = uapi::kEventDescStats;
    b.request.event.stats_offset = offset;
}
void ask_for_events(BentRequest& b) {
    b.request.registration.event_desc = reinterpret_cast<uintptr_t>(&b.request.event);
}
// Asks for an interface, whatever the target.
void name_interface(BentRequest& b, uint32_t interface) {
    b.request.registration.flags = 0;
    b.request.registration.interface = interface;
}
void without_device(BentRequest& b) {
    b.request.registration.flags = uapi::kRegNodev;
    b.request.registration.interface = 0;
    b.request.registration.queue = 0;
}

// The name of a row about the feature ZCRX_REG_NODEV.
std::string of_nodev(const char* what) {
    return std::string(text_of(Feature::kNodev).name) + "_" + what;
}

// clang-format off
const Refusal kRefusals[] = {
    {"no_argument", "registration.nr-args", EINVAL, [](BentRequest& b) { b.pointer = nullptr; }},
    {"zero_arguments", "registration.nr-args", EINVAL, [](BentRequest& b) { b.count = 0; }},
    {"two_arguments", "registration.nr-args", EINVAL, [](BentRequest& b) { b.count = 2; }},
    {"without_defer_taskrun", "registration.defer-taskrun", EINVAL, [](BentRequest&) {},
     everywhere(), {.flags = kSetupSingle | uapi::kSetupCqe32}},
    {"small_cqes", "registration.cqe-size", EINVAL, [](BentRequest&) {},
     everywhere(), {.flags = kSetupSingle | uapi::kSetupDeferTaskrun}},
    {"reserved_first", "registration.reserved", EINVAL,
     [](BentRequest& b) { b.request.registration.reserved[0] = 1; }},
    {"reserved_last", "registration.reserved", EINVAL,
     [](BentRequest& b) { b.request.registration.reserved[1] = uint64_t{1} << 63; }},
    {"zcrx_id", "registration.reserved", EINVAL,
     [](BentRequest& b) { b.request.registration.zcrx_id = 1; }},
    {"flag_unknown", "registration.flags", EINVAL,
     [](BentRequest& b) { b.request.registration.flags |= 1U << 31; }},
    {"queue_minus_one", "registration.rxq-minus-one", EINVAL,
     [](BentRequest& b) { b.request.registration.queue = UINT32_MAX; }},
    {"no_entries", "registration.rq-entries-zero", EINVAL,
     [](BentRequest& b) { b.request.registration.rq_entries = 0; }},
    {"too_many_entries", "registration.rq-entries-clamp", EINVAL,
     [](BentRequest& b) { ask_for_entries(b, 32769); }},
    {"most_entries_there_are", "registration.rq-entries-clamp", EINVAL,
     [](BentRequest& b) { ask_for_entries(b, UINT32_MAX); }},
    {of_nodev("with_interface"), "registration.nodev-device", EINVAL,
     [](BentRequest& b) { without_device(b); b.request.registration.interface = 1; },
     Needs{.features = {Feature::kNodev}}},
    {of_nodev("with_queue"), "registration.nodev-device", EINVAL,
     [](BentRequest& b) { without_device(b); b.request.registration.queue = 1; },
     Needs{.features = {Feature::kNodev}}},
    {of_nodev("with_large_buffers"), "registration.nodev-buffer", EOPNOTSUPP,
     [](BentRequest& b) { without_device(b); b.request.registration.rx_buf_len = 8192; },
     Needs{.features = {Feature::kNodev}}},
    {of_nodev("with_dmabuf"), "registration.nodev-dmabuf", EINVAL,
     [](BentRequest& b) {
         without_device(b);
         b.request.area.flags = uapi::kAreaDmabuf;
         b.request.area.address = 0;
         // One that is open and no dmabuf would be EINVAL, too.
         b.request.area.dmabuf_fd = 1000000;
     },
     Needs{.features = {Feature::kNodev}}},
    {"area_token", "registration.area-token", EINVAL,
     [](BentRequest& b) { b.request.area.token = uint64_t{1} << uapi::kZcrxAreaShift; }},
    {"area_flag_unknown", "registration.area-flags", EINVAL,
     [](BentRequest& b) { b.request.area.flags = 1U << 1; }},
    {"area_reserved_first", "registration.area-flags", EINVAL,
     [](BentRequest& b) { b.request.area.reserved[0] = 1; }},
    {"area_reserved_last", "registration.area-flags", EINVAL,
     [](BentRequest& b) { b.request.area.reserved[1] = 1; }},
    {"area_dmabuf_without_flag", "registration.area-flags", EINVAL,
     [](BentRequest& b) { b.request.area.dmabuf_fd = 1; }},
    {"area_address_unaligned", "registration.area-alignment", EINVAL,
     [](BentRequest& b) { b.request.area.address += 512; b.request.area.length -= kPageSize; }},
    {"area_length_unaligned", "registration.area-alignment", EINVAL,
     [](BentRequest& b) { b.request.area.length -= 512; }},
    {"area_without_address", "registration.area-memory", EFAULT,
     [](BentRequest& b) { b.request.area.address = 0; }},
    {"area_without_length", "registration.area-memory", EFAULT,
     [](BentRequest& b) { b.request.area.length = 0; }},
    {"area_unmapped", "registration.area-memory", EFAULT,
     [](BentRequest& b) {
         const std::span<std::byte> area = b.request.area_memory.bytes();
         munmap(area.data() + area.size() / 2, kPageSize);
     }},
    {"area_read_only", "registration.area-memory", EFAULT,
     [](BentRequest& b) {
         const std::span<std::byte> area = b.request.area_memory.bytes();
         mprotect(area.data() + area.size() / 2, kPageSize, PROT_READ);
     }},
    {"area_wraps", "registration.area-wrap", EOVERFLOW,
     [](BentRequest& b) {
         b.request.area.address = ~uint64_t{0} - kPageSize + 1;
         b.request.area.length = 2 * kPageSize;
     }},
    {"area_of_2_tib", "registration.area-too-large", EINVAL,
     [](BentRequest& b) { b.request.area.length = uint64_t{1} << 41; }, everywhere(), {}, EFAULT},
    {"buffer_no_power_of_two", "registration.buffer-length", EINVAL,
     [](BentRequest& b) { b.request.registration.rx_buf_len = 12288; }},
    {"buffer_below_a_page", "registration.buffer-length", EINVAL,
     [](BentRequest& b) { b.request.registration.rx_buf_len = 2048; }},
    {"buffer_above_contiguity", "registration.buffer-contiguity", ERANGE,
     [](BentRequest& b) { b.request.registration.rx_buf_len = 16U << 20; },
     Needs{.where = Where::kDevice, .features = {Feature::kRxBufferSize}}},
    {"region_too_small", "registration.region-size", EINVAL,
     [](BentRequest& b) {
         b.request.registration.rq_entries = 1024;
         b.request.region.size = kPageSize;
     }},
    {"region_of_nothing", "registration.region-size", EINVAL,
     [](BentRequest& b) { b.request.region.size = 0; }},
    {"region_with_id", "registration.region-size", EINVAL,
     [](BentRequest& b) { b.request.region.id = 1; }},
    {"region_with_offset", "registration.region-size", EINVAL,
     [](BentRequest& b) { b.request.region.mmap_offset = kPageSize; }},
    {"region_flag_without_address", "registration.region-memory", EFAULT,
     [](BentRequest& b) { b.request.region.user_address = 0; }},
    {"region_address_without_flag", "registration.region-memory", EFAULT,
     [](BentRequest& b) { b.request.region.flags = 0; }},
    {"pointer_to_registration", "registration.pointers", EFAULT,
     [](BentRequest& b) { b.pointer = reinterpret_cast<uapi::ZcrxIfqReg*>(kWild); }},
    {"pointer_to_region", "registration.pointers", EFAULT,
     [](BentRequest& b) { b.request.registration.region = kWild; }},
    {"pointer_to_area", "registration.pointers", EFAULT,
     [](BentRequest& b) { b.request.registration.area = kWild; }},
    {"pointer_to_events", "registration.pointers", EFAULT,
     [](BentRequest& b) { b.request.registration.event_desc = kWild; }, with_events()},
    {"event_type_unknown", "registration.event-fields", EINVAL,
     [](BentRequest& b) { ask_for_events(b); b.request.event.type_mask = 1U << 31; },
     with_events()},
    {"event_flag_unknown", "registration.event-fields", EINVAL,
     [](BentRequest& b) { ask_for_events(b); b.request.event.flags = 1U << 31; }, with_events()},
    {"event_reserved", "registration.event-fields", EINVAL,
     [](BentRequest& b) { ask_for_events(b); b.request.event.reserved[8] = 1; }, with_events()},
    {"statistics_not_asked_for", "registration.statistics-offset", EINVAL,
     [](BentRequest& b) { ask_for_events(b); b.request.event.stats_offset = kPageSize; },
     with_events()},
    {"statistics_misaligned", "registration.statistics-offset", EINVAL,
     [](BentRequest& b) { ask_for_statistics(b, b.request.region.size - 20); }, with_events()},
    {"statistics_in_the_header", "registration.statistics-offset", ERANGE,
     [](BentRequest& b) { ask_for_statistics(b, 0); }, with_events()},
    {"statistics_in_the_entries", "registration.statistics-offset", ERANGE,
     [](BentRequest& b) { ask_for_statistics(b, 256); }, with_events()},
    {"statistics_half_outside", "registration.statistics-offset", ERANGE,
     [](BentRequest& b) { ask_for_statistics(b, b.request.region.size - 8); }, with_events()},
    {"statistics_that_wrap", "registration.statistics-offset", ERANGE,
     [](BentRequest& b) { ask_for_statistics(b, ~uint64_t{7}); }, with_events()},
    {"interface_unknown", "registration.no-device", ENODEV,
     [](BentRequest& b) { name_interface(b, kNoInterface); }},
    {"interface_loopback", "registration.no-dma-device", EOPNOTSUPP,
     [](BentRequest& b) { name_interface(b, 1); b.request.registration.queue = 0; }},
    {"queue_out_of_range", "registration.queue-range", ERANGE,
     [](BentRequest& b) { b.request.registration.queue = 0x7fffffff; }, on_device()},
    {"import_of_nothing", "registration.import-fd", EBADF,
     [](BentRequest& b) {
         b.request.registration = {};
         b.request.registration.flags = uapi::kRegImport;
         b.request.registration.interface = static_cast<uint32_t>(-1);
     },
     Needs{.features = {Feature::kExport}}},
    {"import_of_a_ring", "registration.import-fd", EBADF,
     [](BentRequest& b) {
         b.request.registration = {};
         b.request.registration.flags = uapi::kRegImport;
         b.request.registration.interface = static_cast<uint32_t>(b.ring.fd());
     },
     Needs{.features = {Feature::kExport}}},
    {"constants_before_interface", "registration.order-pointers-first", EINVAL,
     [](BentRequest& b) {
         name_interface(b, kNoInterface);
         b.request.registration.rq_entries = 0;
     }},
    {"pointers_before_interface", "registration.order-pointers-first", EFAULT,
     [](BentRequest& b) {
         name_interface(b, kNoInterface);
         b.request.registration.area = kWild;
     }},
    {"region_before_interface", "registration.order-pointers-first", EINVAL,
     [](BentRequest& b) {
         name_interface(b, kNoInterface);
         b.request.region.size = 0;
     }},
    {"interface_before_area", "registration.order-pointers-first", ENODEV,
     [](BentRequest& b) {
         name_interface(b, kNoInterface);
         b.request.area.length -= 512;
     }},
    {"area_before_queue", "registration.order-pointers-first", EINVAL,
     [](BentRequest& b) {
         b.request.registration.queue = 10000;
         b.request.area.length -= 512;
     },
     on_device()},
};
// clang-format on

SCENARIO_TABLE(registration, refused,
               "a wrong registration gets its errno, writes nothing and leaves nothing",
               Terms(Needs{}).claims({"registration.failure-leaves-nothing",
                                      "registration.failure-writes-nothing"}),
               kRefusals, row) {
    expect_refused(scene, row.name, row.bend, row.expected, row.ring, row.otherwise);
}

}  // namespace
}  // namespace zcrxlab::registration_errors
