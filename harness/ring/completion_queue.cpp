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

std::optional<uint32_t> CompletionQueue::tail_behind(uint32_t head) {
    const uint32_t tail = __atomic_load_n(memory_.tail, __ATOMIC_ACQUIRE);
    if (tail - head > memory_.entries) {
        ++overruns_;
        // A slot or two too many are read, as everybody reads them: what is stale in them shows.
        if (tail - head > 2 * memory_.entries) return std::nullopt;
    }
    return tail;
}

inline bool CompletionQueue::read(uint32_t& head, uint32_t tail, Completion& completion) {
    const size_t stride = format_ == CqeFormat::kBig ? 32 : 16;
    const uint32_t slot = head & (memory_.entries - 1);
    const std::byte* at = memory_.cqes + slot * stride;
    Cqe cqe;
    std::memcpy(&cqe, at, sizeof cqe);
    ++head;
    if (format_ == CqeFormat::kMixed && (cqe.flags & uapi::kCqeSkip) != 0) {
        ++skipped_;
        return false;
    }
    completion = {cqe.user_data, cqe.result, cqe.flags};
    completion.big = format_ == CqeFormat::kBig;
    if (format_ == CqeFormat::kMixed && (cqe.flags & uapi::kCqe32) != 0) {
        completion.big = true;
        if (slot + 1 == memory_.entries || tail == head) {
            completion.torn = true;
        } else {
            ++head;
        }
    }
    if (completion.big && !completion.torn) {
        SecondHalf half;
        std::memcpy(&half, at + sizeof cqe, sizeof half);
        completion.offset = half.offset;
        completion.padding = half.padding;
    }
    return true;
}

bool CompletionQueue::any_torn() const {
    if (memory_.head == nullptr) return false;
    CompletionQueue look = *this;  // counts what it sees by itself
    uint32_t head = *memory_.head;
    const auto tail = look.tail_behind(head);
    if (!tail) return false;
    Completion completion;
    while (head != *tail)
        if (look.read(head, *tail, completion) && completion.torn) return true;
    return false;
}

std::optional<Completion> CompletionQueue::next() {
    if (memory_.head == nullptr) return std::nullopt;
    uint32_t head = *memory_.head;
    const auto tail = tail_behind(head);
    if (!tail) return std::nullopt;
    Completion completion;
    bool found = false;
    while (!found && head != *tail) found = read(head, *tail, completion);
    // The kernel may use the slots again as soon as it sees this.
    __atomic_store_n(memory_.head, head, __ATOMIC_RELEASE);
    return found ? std::optional(completion) : std::nullopt;
}

size_t CompletionQueue::take(std::vector<Completion>& completions, size_t limit) {
    if (memory_.head == nullptr) return 0;
    uint32_t head = *memory_.head;
    const auto tail = tail_behind(head);
    if (!tail) return 0;
    size_t count = 0;
    while (count < limit && head != *tail) {
        Completion& completion = completions.emplace_back();
        if (read(head, *tail, completion)) {
            ++count;
        } else {
            completions.pop_back();
        }
    }
    __atomic_store_n(memory_.head, head, __ATOMIC_RELEASE);
    return count;
}

}  // namespace zcrxlab
