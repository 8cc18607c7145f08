// Ifq: an interface queue registered with a ring for zero-copy receive, its area and refill ring.
//
// Two ways in: Ifq::open() for what should work, and IfqRequest, whose raw structures a test bends
// before register_raw(), for what must be refused.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/mapping.hpp"
#include "harness/base/result.hpp"
#include "harness/ring/area.hpp"
#include "harness/ring/refill_ring.hpp"
#include "harness/ring/ring.hpp"
#include "harness/trace/trace.hpp"
#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

struct EventOptions {
    uint64_t user_data = 0;   // of the event CQEs; must not be a RECV_ZC request's
    uint32_t types = 0;       // 1 << uapi::ZcrxEvent
    bool statistics = false;  // shared counters behind the refill ring's entries
};

struct IfqOptions {
    uint32_t number = 0;    // our number for it, unique in a trace
    std::string interface;  // empty: ZCRX_REG_NODEV
    uint32_t queue = 0;
    // 0: as many as the area has pages, at most 32768; rounded up to a power of two by the kernel.
    uint32_t rq_entries = 0;
    bool rq_memory_of_kernel = false;  // the refill ring lives in kernel memory that we mmap
    uint32_t buffer_length = 0;        // rx_buf_len, 0 = a page
    AreaKind area_kind = AreaKind::kAnonymous;
    size_t area_size = 8U << 20;
    std::optional<EventOptions> events;
    // Recorded only: false where copies are expected in spite of a NIC.
    bool zero_copy_expected = true;
};

// Everything that a registration needs, not yet handed to the kernel. The structures point at each
// other and may be changed at will.
struct IfqRequest {
    // Allocates the memory and fills the structures in. ENODEV for an unknown interface.
    static Result<std::unique_ptr<IfqRequest>> prepare(const IfqOptions& options);

    uapi::ZcrxIfqReg registration{};
    uapi::ZcrxAreaReg area{};
    uapi::RegionDesc region{};
    uapi::ZcrxEventDesc event{};

    AreaMemory area_memory;
    Mapping region_memory;  // empty if the kernel is to allocate it
    IfqOptions options;

    IfqRequest() = default;
    IfqRequest(const IfqRequest&) = delete;
    IfqRequest& operator=(const IfqRequest&) = delete;
};

// IORING_REGISTER_ZCRX_IFQ as it is: 0 or a negative errno.
int register_raw(Ring& ring, uapi::ZcrxIfqReg* registration, uint32_t count = 1);

// Nothing is taken back when it goes: that happens when the ring does. A refill ring in kernel
// memory is a mapping of the ring, and keeps it alive until the Ifq has gone too.
class Ifq {
  public:
    // Registers. With a trace, IfqRegistered and AreaRegistered go into it. The sentence of an
    // error says what the errno means here and what to do about it.
    static Result<std::unique_ptr<Ifq>> open(Ring& ring, const IfqOptions& options,
                                             Trace* trace = nullptr);
    // The same from a prepared request.
    static Result<std::unique_ptr<Ifq>> open(Ring& ring, std::unique_ptr<IfqRequest> request,
                                             Trace* trace = nullptr);
    // What open() does behind register_raw(), which has returned 0 for this request.
    static Result<std::unique_ptr<Ifq>> of_registered(Ring& ring,
                                                      std::unique_ptr<IfqRequest> request,
                                                      Trace* trace = nullptr);

    const IfqOptions& options() const { return request_->options; }
    uint32_t number() const { return options().number; }
    bool nodev() const { return options().interface.empty(); }
    // As the kernel wrote them back.
    const uapi::ZcrxIfqReg& registration() const { return request_->registration; }
    uint32_t zcrx_id() const { return registration().zcrx_id; }
    // Bytes of one buffer (niov).
    uint32_t buffer_size() const { return buffer_size_; }
    // Buffers of all areas.
    uint64_t buffers() const;
    // Bytes of an area; empty for an unknown id.
    std::span<std::byte> area(uint32_t area_id = 0) const {
        if (area_id == 0) return request_->area_memory.bytes();
        if (area_id <= areas_.size()) return areas_[area_id - 1].bytes();
        return {};
    }
    // The payload of a CQE: `length` bytes at a CQE offset; empty if that is not inside one area.
    std::span<const std::byte> payload(uint64_t offset, uint32_t length) const {
        const auto bytes = area(static_cast<uint32_t>(offset >> uapi::kZcrxAreaShift));
        const uint64_t inside = offset & uapi::kZcrxOffsetMask;
        if (inside > bytes.size() || length > bytes.size() - inside) return {};
        return bytes.subspan(inside, length);
    }
    uint64_t area_token(uint32_t area_id = 0) const { return uint64_t{area_id} << 48; }

    RefillRing& refill() { return refill_; }
    // Held while entries are written, where several threads have the instance in their rings.
    std::mutex& refill_lock() { return refill_lock_; }
    // The statistics that the kernel keeps in shared memory; nothing unless asked for.
    std::optional<uapi::ZcrxStats> statistics() const;

    // ZCRX_CTRL_*; EOPNOTSUPP or EINVAL where the kernel does not have it.
    Result<void> flush();
    // Through a ring that has imported the instance as `zcrx_id`: only the task that made a ring
    // may ask it.
    Result<void> flush_through(Ring& ring, uint32_t zcrx_id);
    Result<void> arm(uapi::ZcrxEvent event);
    // From now on these go through another ring, where the instance has this id: the one that
    // registered may go.
    void control_through(Ring& ring, uint32_t zcrx_id) {
        ring_ = &ring;
        control_id_ = zcrx_id;
    }
    // An fd through which another ring can import this instance.
    Result<Fd> export_box();
    // A further area, whose id is returned; recorded in the trace of open().
    Result<uint32_t> add_area(AreaMemory memory);
    // What add_area() does behind control_raw(), which has given the area this token.
    Result<uint32_t> keep_area(AreaMemory memory, uint64_t token);

    Ifq(const Ifq&) = delete;
    Ifq& operator=(const Ifq&) = delete;

  private:
    Ifq(Ring& ring, std::unique_ptr<IfqRequest> request, Trace* trace)
        : ring_(&ring),
          control_id_(request->registration.zcrx_id),
          request_(std::move(request)),
          trace_(trace) {}
    void record_area(uint32_t area_id, const AreaMemory& memory);

    Ring* ring_;
    uint32_t control_id_;
    std::unique_ptr<IfqRequest> request_;
    Trace* trace_;
    Mapping kernel_region_;
    RefillRing refill_;
    std::mutex refill_lock_;
    uint32_t buffer_size_ = 0;
    std::vector<AreaMemory> areas_;  // those after the first; index = id - 1
};

// Imports an exported instance into a ring: its zcrx id there.
Result<uint32_t> import_box(Ring& ring, int box_fd);
// IORING_REGISTER_ZCRX_CTRL as it is: the result or a negative errno.
int control_raw(Ring& ring, uapi::ZcrxCtrl& control, uint32_t count = 0);
// A sentence for the errno (positive) of a refused registration.
std::string explain_registration(int code, const IfqOptions& options);

}  // namespace zcrxlab
