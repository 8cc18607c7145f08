// CompletionQueue: reads CQEs of 16, 32 and mixed size from ring memory.
//
// It knows addresses, not rings: unit tests lay out CQ memory and play the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zcrxlab {

enum class CqeFormat {
    kSmall,  // 16 bytes
    kBig,    // 32 bytes, IORING_SETUP_CQE32
    kMixed,  // 16 bytes, or two slots where IORING_CQE_F_32 is set, IORING_SETUP_CQE_MIXED
};

// A CQE as the kernel wrote it.
struct Completion {
    uint64_t user_data = 0;
    int32_t result = 0;
    uint32_t flags = 0;
    bool big = false;  // it had 32 bytes
    // The second half (io_uring_zcrx_cqe); 0 where it had none.
    uint64_t offset = 0;
    uint64_t padding = 0;
    // A 32-byte CQE of a mixed ring that begins in the last slot or before the tail ends it: the
    // kernel must not do that, and the second half was not read.
    bool torn = false;
};

// Addresses of one CQ. `head` and `tail` are free-running; the kernel writes `tail`, we `head`.
struct CqMemory {
    uint32_t* head = nullptr;
    const uint32_t* tail = nullptr;
    const std::byte* cqes = nullptr;
    // Slots, a power of two: of 32 bytes with kBig, of 16 else.
    uint32_t entries = 0;
};

class CompletionQueue {
  public:
    CompletionQueue() = default;
    CompletionQueue(const CqMemory& memory, CqeFormat format) : memory_(memory), format_(format) {}

    // The same CQ lies elsewhere now, and may have another size.
    void moved_to(const CqMemory& memory) { memory_ = memory; }

    // Takes the next CQE and frees its slots; nothing when there is none. Steps over
    // IORING_CQE_F_SKIP.
    std::optional<Completion> next();
    // Appends all that were there when it was called, at most `limit`, and frees their slots all at
    // once; how many.
    size_t take(std::vector<Completion>& completions, size_t limit = SIZE_MAX);
    // Slots between head and tail.
    uint32_t ready() const;
    uint32_t entries() const { return memory_.entries; }
    // Whether one of those that wait is torn (Completion::torn).
    bool any_torn() const;
    // Skip entries stepped over so far.
    uint64_t skipped() const { return skipped_; }
    // Calls that saw more than all slots; they give nothing if it is more than twice that.
    uint64_t overruns() const { return overruns_; }

  private:
    // The tail if there is anything to be read up to it.
    std::optional<uint32_t> tail_behind(uint32_t head);
    // What is at `head`, which is moved on; false if it was an entry to be stepped over.
    bool read(uint32_t& head, uint32_t tail, Completion& completion);

    CqMemory memory_;
    CqeFormat format_ = CqeFormat::kBig;
    uint64_t skipped_ = 0;
    uint64_t overruns_ = 0;
};

}  // namespace zcrxlab
