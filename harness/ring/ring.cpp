// Sets rings up with liburing, waits, and asks the kernel what it knows.
#include "harness/ring/ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace zcrxlab {
namespace {

Error ring_error(const std::string& doing, int result) {
    return error_from_errno(doing, -result);
}

uint32_t array_behind_cqes(const io_uring_params& params) {
    constexpr uint32_t kCacheLine = 64;
    uint32_t end = params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe);
    if ((params.flags & uapi::kSetupCqe32) != 0) end *= 2;
    return (end + kCacheLine - 1) / kCacheLine * kCacheLine;
}

}  // namespace

void Ring::Exit::operator()(io_uring* ring) const {
    // Unmaps too: a mapped SQ or CQ would keep the ring alive after its close.
    ::io_uring_queue_exit(ring);
    delete ring;
}

Result<Ring> Ring::create(const RingOptions& options) {
    io_uring_params params{};
    params.flags = options.flags;
    if (options.cq_entries != 0) {
        params.flags |= uapi::kSetupCqSize;
        params.cq_entries = options.cq_entries;
    }
    auto memory = std::make_unique<io_uring>();
    const int made = ::io_uring_queue_init_params(options.sq_entries, memory.get(), &params);
    if (made < 0) {
        Error error = ring_error("set up an io_uring", made);
        if (made == -EPERM) error.sentence += "; type: sysctl kernel.io_uring_disabled=0";
        if (made == -EINVAL)
            error.sentence +=
                "; the CQ is smaller than the SQ, or this kernel lacks one of the flags";
        return error;
    }
    Ring ring;
    ring.ring_.reset(memory.release());
    ring.format_ = CqeFormat::kSmall;
    if ((params.flags & uapi::kSetupCqe32) != 0) ring.format_ = CqeFormat::kBig;
    if ((params.flags & uapi::kSetupCqeMixed) != 0) ring.format_ = CqeFormat::kMixed;
    ring.queue_ = CompletionQueue(ring.cq_memory(), ring.format_);
    return ring;
}

CqMemory Ring::cq_memory() const {
    const io_uring_cq& cq = ring_->cq;
    return {cq.khead, cq.ktail, reinterpret_cast<const std::byte*>(cq.cqes), *cq.kring_entries};
}

int Ring::fd() const {
    return ring_->ring_fd;
}

uint32_t Ring::sq_entries() const {
    return *ring_->sq.kring_entries;
}

uint32_t Ring::cq_entries() const {
    return queue_.entries();
}

Result<io_uring_sqe*> Ring::next_sqe() {
    io_uring_sqe* sqe = ::io_uring_get_sqe(ring_.get());
    if (sqe == nullptr) {
        if (auto submitted = submit(); !submitted) return submitted.error();
        sqe = ::io_uring_get_sqe(ring_.get());
    }
    if (sqe == nullptr) return Error{ENOSPC, "the submission queue stayed full after a submit"};
    *sqe = io_uring_sqe{};
    return sqe;
}

Result<uint32_t> Ring::submit() {
    const int submitted = ::io_uring_submit(ring_.get());
    if (submitted < 0) return ring_error("submit to the ring", submitted);
    return static_cast<uint32_t>(submitted);
}

Result<void> Ring::wait() {
    const int entered = ::io_uring_submit_and_wait(ring_.get(), 1);
    if (entered < 0 && entered != -EINTR) return ring_error("wait for completions", entered);
    return {};
}

Result<bool> Ring::wait(std::chrono::nanoseconds timeout, uint32_t at_least) {
    if (auto submitted = submit(); !submitted) return submitted.error();
    if (queue_.ready() >= at_least) return true;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const auto left =
            std::max(std::chrono::nanoseconds(0), deadline - std::chrono::steady_clock::now());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        __kernel_timespec time{seconds.count(), (left - seconds).count()};
        io_uring_getevents_arg argument{};
        argument.ts = reinterpret_cast<uintptr_t>(&time);
        const int entered = ::io_uring_enter2(
            static_cast<unsigned>(fd()), 0, at_least, uapi::kEnterGetEvents | uapi::kEnterExtArg,
            reinterpret_cast<sigset_t*>(&argument), sizeof argument);
        if (queue_.ready() >= at_least) return true;
        if (entered == -ETIME) return false;
        if (entered < 0 && entered != -EINTR) return ring_error("wait for completions", entered);
        if (std::chrono::steady_clock::now() >= deadline) return false;
    }
}

Result<void> Ring::poll() {
    const int entered =
        ::io_uring_enter(static_cast<unsigned>(fd()), 0, 0, uapi::kEnterGetEvents, nullptr);
    if (entered < 0 && entered != -EINTR) return ring_error("run completions", entered);
    return {};
}

size_t Ring::reap(std::vector<Completion>& completions) {
    return reap(completions, SIZE_MAX);
}

size_t Ring::reap(std::vector<Completion>& completions, size_t limit) {
    return queue_.take(completions, limit);
}

bool Ring::keeps_back() const {
    return (__atomic_load_n(ring_->sq.kflags, __ATOMIC_RELAXED) & uapi::kSqCqOverflow) != 0;
}

uint32_t Ring::lost() const {
    return __atomic_load_n(ring_->cq.koverflow, __ATOMIC_RELAXED);
}

Result<bool> Ring::resize_cq(uint32_t entries) {
    io_uring_params params{};
    params.flags = uapi::kSetupCqSize;
    params.sq_entries = sq_entries();
    params.cq_entries = entries;
    const int resized = register_raw(uapi::kRegisterResizeRings, &params, 1);
    if (resized < 0) return ring_error("resize the rings", resized);
    // Newer versions of the library make rings without one.
    const bool has_array = (params.flags & uapi::kSetupNoSqarray) == 0;
    const bool told = !has_array || params.sq_off.array != 0;
    if (!told) params.sq_off.array = array_behind_cqes(params);
    // The old memory is no ring any more; both queues are in the new one.
    const size_t size =
        std::max<size_t>(params.sq_off.array + params.sq_entries * sizeof(uint32_t),
                         params.cq_off.cqes + params.cq_entries * (format_ == CqeFormat::kBig
                                                                       ? 2 * sizeof(io_uring_cqe)
                                                                       : sizeof(io_uring_cqe)));
    const auto map = [&](size_t bytes, off_t offset) {
        return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd(),
                      offset);
    };
    void* rings = map(size, IORING_OFF_SQ_RING);
    void* sqes = map(params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
    if (rings == MAP_FAILED || sqes == MAP_FAILED) return error_from_errno("map resized rings");
    io_uring_sq& sq = ring_->sq;
    io_uring_cq& cq = ring_->cq;
    ::munmap(sq.sqes, *sq.kring_entries * sizeof(io_uring_sqe));
    ::munmap(sq.ring_ptr, sq.ring_sz);
    const auto word = [rings](uint32_t offset) {
        return reinterpret_cast<unsigned*>(static_cast<std::byte*>(rings) + offset);
    };
    sq.ring_ptr = cq.ring_ptr = rings;
    sq.ring_sz = cq.ring_sz = size;
    sq.khead = word(params.sq_off.head);
    sq.ktail = word(params.sq_off.tail);
    sq.kring_mask = word(params.sq_off.ring_mask);
    sq.kring_entries = word(params.sq_off.ring_entries);
    sq.kflags = word(params.sq_off.flags);
    sq.kdropped = word(params.sq_off.dropped);
    sq.array = has_array ? word(params.sq_off.array) : nullptr;
    sq.sqes = static_cast<io_uring_sqe*>(sqes);
    for (uint32_t i = 0; has_array && i < params.sq_entries; ++i) sq.array[i] = i;
    cq.khead = word(params.cq_off.head);
    cq.ktail = word(params.cq_off.tail);
    cq.kring_mask = word(params.cq_off.ring_mask);
    cq.kring_entries = word(params.cq_off.ring_entries);
    cq.koverflow = word(params.cq_off.overflow);
    cq.kflags = word(params.cq_off.flags);
    cq.cqes = reinterpret_cast<io_uring_cqe*>(word(params.cq_off.cqes));
    cq.ring_mask = params.cq_entries - 1;
    cq.ring_entries = params.cq_entries;
    queue_.moved_to(cq_memory());
    return told;
}

int Ring::register_raw(uint32_t op, void* argument, uint32_t count) {
    return ::io_uring_register(static_cast<unsigned>(fd()), op, argument, count);
}

int query_raw(uapi::QueryHeader& header, uint32_t count) {
    // -1: a question about the kernel, not about a ring.
    return ::io_uring_register(static_cast<unsigned>(-1), uapi::kRegisterQuery, &header, count);
}

namespace {

template <typename T>
Result<T> query(uapi::QueryOp op, const char* what) {
    T answer{};
    uapi::QueryHeader header{};
    header.op = static_cast<uint32_t>(op);
    header.size = sizeof answer;
    header.data = reinterpret_cast<uintptr_t>(&answer);
    int result = query_raw(header);
    if (result == 0) result = header.result;
    if (result != 0) {
        return Error{-result, std::string("this kernel cannot be asked about ") + what + ": " +
                                  std::strerror(-result)};
    }
    return answer;
}

}  // namespace

Result<uapi::QueryZcrx> query_zcrx() {
    return query<uapi::QueryZcrx>(uapi::QueryOp::kZcrx, "zero-copy receive");
}

Result<uapi::QueryZcrxEvent> query_zcrx_event() {
    return query<uapi::QueryZcrxEvent>(uapi::QueryOp::kZcrxEvent, "zero-copy receive events");
}

}  // namespace zcrxlab
