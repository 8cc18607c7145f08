// Ring: an io_uring for zero-copy receive.
//
// The rings are liburing's (2.3 will do); what it may not know, 32-byte and mixed CQEs, is read by
// completion_queue.hpp. A ring with kSetupDeferTaskrun belongs to the thread that made it: create,
// submit, wait and destroy in that thread.
#pragma once

#include <liburing.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/ring/completion_queue.hpp"
#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

struct RingOptions {
    uint32_t sq_entries = 128;
    uint32_t cq_entries = 4096;
    // uapi::kSetup*; kSetupCqSize is added where cq_entries is not 0.
    uint32_t flags = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | uapi::kSetupCqe32;
};

class Ring {
  public:
    // The errno of io_uring_setup on failure: ENOSYS or EPERM where io_uring is switched off,
    // EINVAL for flags that the kernel does not know.
    static Result<Ring> create(const RingOptions& options = {});

    int fd() const;
    CqeFormat format() const { return format_; }
    uint32_t sq_entries() const;
    uint32_t cq_entries() const;

    // A zeroed SQE to fill in, submitting what there is when the queue is full; ENOSPC if that did
    // not make room.
    Result<io_uring_sqe*> next_sqe();
    // Hands the filled SQEs to the kernel; how many it took.
    Result<uint32_t> submit();
    // Submits and waits, in one system call, until there is a CQE or a signal.
    Result<void> wait();
    // Submits, then waits until `at_least` CQEs are there. False: the time was up first.
    Result<bool> wait(std::chrono::nanoseconds timeout, uint32_t at_least = 1);
    // Runs pending completions without waiting.
    Result<void> poll();
    // Appends all CQEs that are there to `completions` and frees their slots; how many. Skip
    // entries are stepped over and counted in skipped().
    size_t reap(std::vector<Completion>& completions);
    // Appends at most `limit`, for tests that keep the CQ full.
    size_t reap(std::vector<Completion>& completions, size_t limit);

    uint64_t skipped() const { return queue_.skipped(); }
    // Looks at the CQ that saw more CQEs than slots.
    uint64_t overruns() const { return queue_.overruns(); }
    // Every slot is taken.
    bool full() const { return queue_.ready() >= queue_.entries(); }
    // A CQE of two slots that waits has its second half elsewhere (Completion::torn).
    bool any_torn() const { return queue_.any_torn(); }
    // The kernel keeps CQEs back for want of a slot (IORING_SQ_CQ_OVERFLOW), and how many it has
    // thrown away (koverflow).
    bool keeps_back() const;
    uint32_t lost() const;

    // Gives the ring a CQ of another size (IORING_REGISTER_RESIZE_RINGS, Linux 6.13), rounded up to
    // a power of two, with what lies in it; the SQ stays as large as it is. EOVERFLOW, and nothing
    // changed, if more CQEs lie in it than the new one has slots. False: the kernel did not say
    // where the array of the new SQ is (sq_off.array); it is taken to be where Linux 6.18 puts it
    // (io_uring.c:rings_size), behind the CQEs.
    Result<bool> resize_cq(uint32_t entries);

    // io_uring_register(2): the result, or a negative errno.
    int register_raw(uint32_t op, void* argument, uint32_t count);

  private:
    struct Exit {
        void operator()(io_uring* ring) const;
    };
    Ring() = default;
    CqMemory cq_memory() const;

    std::unique_ptr<io_uring, Exit> ring_;
    CompletionQueue queue_;
    CqeFormat format_ = CqeFormat::kBig;
};

// What IORING_REGISTER_QUERY says about zcrx. EINVAL: the kernel cannot be asked (before 6.19).
Result<uapi::QueryZcrx> query_zcrx();
Result<uapi::QueryZcrxEvent> query_zcrx_event();
// One question with an answer of any form, for tests. A negative errno, or 0 with the question's
// own result in `header.result`.
int query_raw(uapi::QueryHeader& header, uint32_t count = 0);

}  // namespace zcrxlab
