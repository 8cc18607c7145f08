// Reads CQEs from ring memory: acquire the tail, copy a CQE out, release the head.
#include "harness/ring/completion_queue.hpp"

#include <cstring>

#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {
namespace {

// struct io_uring_cqe without its second half.
struct Cqe {
    uint64_t user_data;
    int32_t result;
    uint32_t flags;
};
static_assert(sizeof(Cqe) == 16);

struct SecondHalf {
    uint64_t offset;
    uint64_t padding;
};
static_assert(sizeof(SecondHalf) == 16);

}  // namespace

uint32_t CompletionQueue::ready() const {
    return __atomic_load_n(memory_.tail, __ATOMIC_ACQUIRE) - *memory_.head;
}

std::optional<Completion> CompletionQueue::next() {
    if (memory_.head == nullptr) return std::nullopt;
    uint32_t head = *memory_.head;
    const uint32_t tail = __atomic_load_n(memory_.tail, __ATOMIC_ACQUIRE);
    if (tail - head > memory_.entries) {
        ++overruns_;
        // A slot or two too many are read, as everybody reads them: what is stale in them shows.
        if (tail - head > 2 * memory_.entries) return std::nullopt;
    }
    const size_t stride = format_ == CqeFormat::kBig ? 32 : 16;
    std::optional<Completion> found;
    while (!found && head != tail) {
        const uint32_t slot = head & (memory_.entries - 1);
        const std::byte* at = memory_.cqes + slot * stride;
        Cqe cqe;
        std::memcpy(&cqe, at, sizeof cqe);
        uint32_t slots = 1;
        if (format_ == CqeFormat::kMixed && (cqe.flags & uapi::kCqeSkip) != 0) {
            ++skipped_;
        } else {
            Completion completion{cqe.user_data, cqe.result, cqe.flags};
            completion.big = format_ == CqeFormat::kBig;
            if (format_ == CqeFormat::kMixed && (cqe.flags & uapi::kCqe32) != 0) {
                completion.big = true;
                if (slot + 1 == memory_.entries || tail - head < 2) {
                    completion.torn = true;
                } else {
                    slots = 2;
                }
            }
            if (completion.big && !completion.torn) {
                SecondHalf half;
                std::memcpy(&half, at + sizeof cqe, sizeof half);
                completion.offset = half.offset;
                completion.padding = half.padding;
            }
            found = completion;
        }
        head += slots;
    }
    // The kernel may use the slots again as soon as it sees this.
    __atomic_store_n(memory_.head, head, __ATOMIC_RELEASE);
    return found;
}

}  // namespace zcrxlab
