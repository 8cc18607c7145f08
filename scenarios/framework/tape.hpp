// Tape: shared memory in which a child leaves what it did, readable however the child ended.
//
// The child appends; the parent reads after the child is gone. Each entry is committed by moving
// `used` behind it, so that a child killed in the middle leaves only whole entries.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/mapping.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"
#include "scenarios/framework/facts.hpp"

namespace zcrxlab {

// What a tape held.
struct TapeContents {
    std::vector<Event> events;
    std::vector<std::string> failures;  // what the scenario's own checks said, in order
    // Of the failure at the same place, as far as they are known; may be fewer.
    std::vector<ComplaintFacts> failure_facts;
    std::vector<std::string> skips;
    std::vector<std::string> measurements;  // JSON of kBench records
    bool finished = false;                  // the body came to its end and its rings were closed
    uint64_t events_lost = 0;               // for want of room
};

class Tape {
  public:
    // Address space only; memory is used as entries are written.
    static constexpr size_t kCapacity = size_t{512} << 20;

    // A new, empty tape of `capacity` bytes, to be handed to a child by its descriptor.
    static Result<Tape> create(size_t capacity = kCapacity);
    // The tape behind an inherited descriptor, which is taken over.
    static Result<Tape> open(int fd);

    Tape(Tape&& other) noexcept;
    Tape& operator=(Tape&&) = delete;

    int fd() const { return fd_.get(); }

    // From any thread.
    void event(const Event& event);
    void failure(std::string_view text, const ComplaintFacts& facts = {});
    void skip(std::string_view text);
    // A result of a benchmark, as the JSON of a kBench record (harness/trace/record.hpp).
    void measurement(std::string_view json);
    void finished();

    // Everything up to the first entry that makes no sense.
    TapeContents read() const;

  private:
    enum class Kind : uint32_t;
    struct Header;

    Tape(Fd fd, Mapping mapping) : fd_(std::move(fd)), mapping_(std::move(mapping)) {}
    Header* header() const;
    // Room for one entry, or empty when the tape is full. Call with mutex_ held, then commit().
    std::span<std::byte> room(Kind kind, size_t length);
    void commit(size_t length);
    void append(Kind kind, std::string_view text);
    // The same with mutex_ and the turn held.
    void append_now(Kind kind, std::string_view text);

    Fd fd_;
    Mapping mapping_;
    std::mutex mutex_;
};

}  // namespace zcrxlab
