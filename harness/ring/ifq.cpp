// Registers interface queues, and everything that IORING_REGISTER_ZCRX_CTRL does.
#include "harness/ring/ifq.hpp"

#include <net/if.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {
namespace {

constexpr uint32_t kMaximumEntries = 32768;
// The kernel wants less in front of the entries (128 bytes in 7.3); a page is room for all time.
constexpr size_t kHeaderRoom = kPageSize;
// Beyond this a list of pages is larger than it is useful.
constexpr size_t kLargestListed = 1U << 30;

size_t page_aligned(size_t size) {
    return (size + kPageSize - 1) / kPageSize * kPageSize;
}

// EPROTO if a call that succeeds by 0 alone (io_uring_register(2)) returned something else.
Result<void> succeeded(int result, const std::string& what) {
    if (result < 0) return error_from_errno(what, -result);
    if (result > 0)
        return Error{EPROTO, what + ": the kernel returned " + std::to_string(result) +
                                 ", which is neither 0 nor an errno"};
    return {};
}

}  // namespace

Result<std::unique_ptr<IfqRequest>> IfqRequest::prepare(const IfqOptions& options) {
    auto request = std::make_unique<IfqRequest>();
    request->options = options;
    auto memory = AreaMemory::allocate(options.area_kind, options.area_size);
    if (!memory) return memory.error();
    request->area_memory = std::move(*memory);
    request->area.address = reinterpret_cast<uintptr_t>(request->area_memory.data());
    request->area.length = request->area_memory.size();

    uapi::ZcrxIfqReg& registration = request->registration;
    if (options.interface.empty()) {
        registration.flags = uapi::kRegNodev;
    } else {
        registration.interface = ::if_nametoindex(options.interface.c_str());
        if (registration.interface == 0) {
            return Error{ENODEV, "there is no interface " + options.interface +
                                     "; type: ip link, and set NETIF"};
        }
        registration.queue = options.queue;
    }
    const size_t pages = options.area_size / kPageSize;
    registration.rq_entries =
        options.rq_entries != 0
            ? options.rq_entries
            : static_cast<uint32_t>(std::bit_ceil(std::min<size_t>(pages, kMaximumEntries)));
    registration.rx_buf_len = options.buffer_length;
    registration.area = reinterpret_cast<uintptr_t>(&request->area);
    registration.region = reinterpret_cast<uintptr_t>(&request->region);

    uapi::RegionDesc& region = request->region;
    const size_t entries = std::bit_ceil(std::min(registration.rq_entries, kMaximumEntries));
    region.size = page_aligned(kHeaderRoom + entries * sizeof(uapi::ZcrxRqe));
    if (options.events) {
        request->event.user_data = options.events->user_data;
        request->event.type_mask = options.events->types;
        if (options.events->statistics) {
            request->event.flags = uapi::kEventDescStats;
            request->event.stats_offset = region.size;
            region.size += kPageSize;
        }
        registration.event_desc = reinterpret_cast<uintptr_t>(&request->event);
    }
    if (!options.rq_memory_of_kernel) {
        auto mapping = Mapping::anonymous(region.size);
        if (!mapping) return mapping.error();
        request->region_memory = std::move(*mapping);
        region.user_address = reinterpret_cast<uintptr_t>(request->region_memory.data());
        region.flags = uapi::kRegionUser;
    }
    return request;
}

int register_raw(Ring& ring, uapi::ZcrxIfqReg* registration, uint32_t count) {
    return ring.register_raw(uapi::kRegisterZcrxIfq, registration, count);
}

int control_raw(Ring& ring, uapi::ZcrxCtrl& control, uint32_t count) {
    return ring.register_raw(uapi::kRegisterZcrxCtrl, &control, count);
}

Result<std::unique_ptr<Ifq>> Ifq::open(Ring& ring, const IfqOptions& options, Trace* trace) {
    auto request = IfqRequest::prepare(options);
    if (!request) return request.error();
    return open(ring, std::move(*request), trace);
}

Result<std::unique_ptr<Ifq>> Ifq::open(Ring& ring, std::unique_ptr<IfqRequest> request,
                                       Trace* trace) {
    const int result = register_raw(ring, &request->registration);
    if (result < 0) return Error{-result, explain_registration(-result, request->options)};
    // What a queue operation of the driver returns comes through (netif_mp_open_rxq()).
    if (result > 0)
        return Error{EPROTO, "the registration returned " + std::to_string(result) +
                                 ", which is neither 0 nor an errno; look at what the driver's "
                                 "ndo_queue_mem_alloc, ndo_queue_stop and ndo_queue_start return"};
    return of_registered(ring, std::move(request), trace);
}

Result<std::unique_ptr<Ifq>> Ifq::of_registered(Ring& ring, std::unique_ptr<IfqRequest> request,
                                                Trace* trace) {
    std::unique_ptr<Ifq> ifq(new Ifq(ring, std::move(request), trace));
    const uapi::ZcrxIfqReg& registration = ifq->registration();
    std::byte* region = ifq->request_->region_memory.data();
    if (region == nullptr) {
        auto mapping = Mapping::map(ifq->request_->region.size, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_POPULATE, ring.fd(),
                                    static_cast<off_t>(ifq->request_->region.mmap_offset));
        if (!mapping) return mapping.error();
        ifq->kernel_region_ = std::move(*mapping);
        region = ifq->kernel_region_.data();
    }
    const uapi::ZcrxOffsets& offsets = registration.offsets;
    const uint64_t end = offsets.rqes + uint64_t{registration.rq_entries} * sizeof(uapi::ZcrxRqe);
    const uint64_t size = ifq->request_->region.size;
    if (end > size || offsets.head + uint64_t{4} > size || offsets.tail + uint64_t{4} > size) {
        return Error{EPROTO, "the kernel returned offsets outside the refill ring's memory"};
    }
    ifq->refill_ = RefillRing(region, offsets, registration.rq_entries);
    // Kernels before 7.0 leave the field 0: their buffers are pages.
    ifq->buffer_size_ =
        registration.rx_buf_len != 0 ? registration.rx_buf_len : static_cast<uint32_t>(kPageSize);
    if (trace != nullptr) {
        const IfqOptions& options = ifq->options();
        trace->add(IfqRegistered{
            options.number, options.interface, options.queue, registration.rq_entries,
            ifq->buffer_size_, registration.zcrx_id, !ifq->nodev() && options.zero_copy_expected,
            ring.format() == CqeFormat::kMixed, static_cast<uint32_t>(ring.fd()), ring.sq_entries(),
            ring.cq_entries(), options.rq_memory_of_kernel,
            options.events ? options.events->types : 0,
            options.events ? options.events->user_data : 0,
            options.events && options.events->statistics});
        ifq->record_area(0, ifq->request_->area_memory);
    }
    return ifq;
}

void Ifq::record_area(uint32_t area_id, const AreaMemory& memory) {
    if (trace_ == nullptr) return;
    AreaRegistered event{number(),      area_id, reinterpret_cast<uintptr_t>(memory.data()),
                         memory.size(), {},      std::string(memory.name())};
    if (area_id == 0 && (request_->area.flags & uapi::kAreaDmabuf) != 0) event.memory = "dmabuf";
    // Without a NIC nothing is proven by pages, and the list is long.
    if (!nodev() && memory.size() <= kLargestListed) {
        if (auto pages = physical_pages(memory.bytes())) {
            event.pages = std::move(*pages);
        } else {
            trace_->add(Note{"The pages of area " + std::to_string(area_id) +
                             " are not known: " + pages.error().sentence});
        }
    }
    trace_->add(std::move(event));
}

uint64_t Ifq::buffers() const {
    uint64_t bytes = request_->area_memory.size();
    for (const AreaMemory& memory : areas_) bytes += memory.size();
    return bytes / buffer_size_;
}

std::optional<uapi::ZcrxStats> Ifq::statistics() const {
    if (!options().events || !options().events->statistics) return std::nullopt;
    const std::byte* region =
        kernel_region_ ? kernel_region_.data() : request_->region_memory.data();
    const auto* words = reinterpret_cast<const uint64_t*>(region + request_->event.stats_offset);
    return uapi::ZcrxStats{__atomic_load_n(&words[0], __ATOMIC_RELAXED),
                           __atomic_load_n(&words[1], __ATOMIC_RELAXED)};
}

Result<void> Ifq::flush() {
    return flush_through(*ring_, control_id_);
}

Result<void> Ifq::flush_through(Ring& ring, uint32_t zcrx_id) {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = zcrx_id;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kFlushRq);
    const int result = control_raw(ring, control);
    return succeeded(result, "flush the refill ring");
}

Result<void> Ifq::arm(uapi::ZcrxEvent event) {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = control_id_;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kArmEvent);
    control.arm.type = static_cast<uint32_t>(event);
    const int result = control_raw(*ring_, control);
    if (trace_ != nullptr)
        trace_->add(ActionDone{"events q" + std::to_string(number()) +
                               " arm=" + (event == uapi::ZcrxEvent::kCopy ? "copy" : "alloc_fail") +
                               (result < 0 ? " expect=" + errno_name(-result) : "")});
    return succeeded(result, "arm a zcrx event");
}

Result<Fd> Ifq::export_box() {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = control_id_;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kExport);
    const int result = control_raw(*ring_, control);
    if (auto done = succeeded(result, "export the zcrx instance"); !done) return done.error();
    return Fd(static_cast<int>(control.box.fd));
}

Result<uint32_t> Ifq::add_area(AreaMemory memory) {
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    uapi::ZcrxCtrl control{};
    control.zcrx_id = control_id_;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    const int result = control_raw(*ring_, control);
    if (auto done = succeeded(result, "add an area"); !done) return done.error();
    return keep_area(std::move(memory), area.token);
}

Result<uint32_t> Ifq::keep_area(AreaMemory memory, uint64_t token) {
    const auto id = static_cast<uint32_t>(token >> uapi::kZcrxAreaShift);
    if (id != areas_.size() + 1) {
        return Error{EPROTO, "the kernel gave area id " + std::to_string(id) + ", not " +
                                 std::to_string(areas_.size() + 1)};
    }
    areas_.push_back(std::move(memory));
    record_area(id, areas_.back());
    return id;
}

Result<uint32_t> import_box(Ring& ring, int box_fd) {
    uapi::ZcrxIfqReg registration{};
    registration.flags = uapi::kRegImport;
    registration.interface = static_cast<uint32_t>(box_fd);
    const int result = register_raw(ring, &registration);
    if (auto done = succeeded(result, "import a zcrx instance"); !done) return done.error();
    return registration.zcrx_id;
}

std::string explain_registration(int code, const IfqOptions& options) {
    const std::string where =
        options.interface.empty()
            ? std::string("without a device")
            : "on queue " + std::to_string(options.queue) + " of " + options.interface;
    const std::string begin =
        "register zero-copy receive " + where + ": " + std::strerror(code) + "; ";
    const std::string& name = options.interface;
    switch (code) {
        case EPERM:
            return begin + "run it as root (CAP_NET_ADMIN)";
        case EINVAL:
            if (name.empty())
                return begin +
                       "ZCRX_REG_NODEV needs Linux 7.1, and its ring "
                       "DEFER_TASKRUN and 32-byte or mixed CQEs";
            return begin + "header split must be on; type: zcrxlab lab split " + name +
                   " (or, with ethtool 6.7 or newer: ethtool -G " + name + " tcp-data-split on)";
        case EOPNOTSUPP:
            return begin + "the driver has no queue API or not this buffer length";
        case ENODATA:
            return begin + "the driver makes no page pool for unreadable memory on this queue";
        case EEXIST:
            return begin +
                   "another provider or XDP holds the queue; close the other program, "
                   "or wait until it has let go";
        case EBUSY:
            return begin + "an AF_XDP socket holds the queue";
        case ERANGE:
            return begin +
                   "the queue does not exist or cannot be stopped (gve: queue 0); type: "
                   "ethtool -l " +
                   name;
        case ENODEV:
            return begin + "the interface is gone; type: ip link";
        case ENOMEM:
            return begin +
                   "not enough memory, or RLIMIT_MEMLOCK is too small; type: ulimit -l "
                   "unlimited";
        default:
            return begin + "see the kernel log";
    }
}

}  // namespace zcrxlab
