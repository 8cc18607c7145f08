// Tape: entries and their layout.
#include "scenarios/framework/tape.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/trace/trace.hpp"

namespace zcrxlab {

enum class Tape::Kind : uint32_t {
    kEvent = 1,    // 8 bytes of time, then JSON
    kCqe,          // PackedCqe
    kReturn,       // PackedReturn
    kDmaWrites,    // PackedDma, then entries, then flows
    kArea,         // PackedArea, then one u64 per page
    kFailure,      // text
    kSkip,         // text
    kFinished,     // nothing
    kMeasurement,  // JSON
    kSent,         // PackedSent
    kFacts,        // JSON, of the failure before it
};

struct Tape::Header {
    std::atomic<uint64_t> used;  // bytes behind this header
    std::atomic<uint64_t> lost;  // events without room
    pthread_mutex_t writing;     // of all processes that append
};

namespace {

// A process that was killed while it had it has left no entry behind, or a whole one.
class Turn {
  public:
    explicit Turn(pthread_mutex_t& mutex) : mutex_(mutex) {
        if (pthread_mutex_lock(&mutex_) == EOWNERDEAD) pthread_mutex_consistent(&mutex_);
    }
    ~Turn() { pthread_mutex_unlock(&mutex_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    pthread_mutex_t& mutex_;
};

struct EntryHeader {
    uint32_t kind;
    uint32_t reserved;
    uint64_t length;  // bytes that follow, without the padding to 8
};
static_assert(sizeof(EntryHeader) == 16);

// The frequent events have a form of their own: JSON for each would slow the scenario down.
struct PackedCqe {
    uint64_t nanoseconds, request, offset, padding, position, mismatch;
    uint32_t ifq, stream, flags;
    int32_t result;
    uint8_t big, has_mismatch, expected, seen;
    uint32_t unused;
};
static_assert(sizeof(PackedCqe) == 72);

struct PackedReturn {
    uint64_t nanoseconds, offset, length, changed;
    uint32_t ifq;
    uint8_t has_changed, on_purpose;
    uint16_t unused;
};
static_assert(sizeof(PackedReturn) == 40);

struct PackedSent {
    uint64_t nanoseconds, total;
    uint32_t stream, unused;
};
static_assert(sizeof(PackedSent) == 24);

struct PackedDma {
    uint64_t nanoseconds, lost, entries, flows;
};

struct PackedArea {
    uint64_t nanoseconds, address, length, pages;
    uint32_t ifq, area;
    char memory[16];  // its name, with zeros behind it
};

constexpr size_t padded(size_t length) {
    return (length + 7) & ~size_t{7};
}

template <typename T>
bool take(std::span<const std::byte>& bytes, T& out) {
    if (bytes.size() < sizeof(T)) return false;
    std::memcpy(&out, bytes.data(), sizeof(T));
    bytes = bytes.subspan(sizeof(T));
    return true;
}

template <typename T>
bool take_list(std::span<const std::byte>& bytes, uint64_t count, std::vector<T>& out) {
    if (count > bytes.size() / sizeof(T)) return false;
    out.resize(count);
    if (count > 0) std::memcpy(out.data(), bytes.data(), count * sizeof(T));
    bytes = bytes.subspan(count * sizeof(T));
    return true;
}

class Writer {
  public:
    explicit Writer(std::span<std::byte> room) : room_(room) {}
    template <typename T>
    void put(const T& value) {
        std::memcpy(room_.data(), &value, sizeof(T));
        room_ = room_.subspan(sizeof(T));
    }
    template <typename T>
    void put_list(const std::vector<T>& list) {
        if (list.empty()) return;
        std::memcpy(room_.data(), list.data(), list.size() * sizeof(T));
        room_ = room_.subspan(list.size() * sizeof(T));
    }

  private:
    std::span<std::byte> room_;
};

PackedCqe pack(uint64_t time, const CqeSeen& cqe) {
    return {time,
            cqe.request,
            cqe.offset,
            cqe.padding,
            cqe.position,
            cqe.mismatch.value_or(0),
            cqe.ifq,
            cqe.stream,
            cqe.flags,
            cqe.result,
            static_cast<uint8_t>(cqe.big),
            static_cast<uint8_t>(cqe.mismatch.has_value()),
            cqe.expected,
            cqe.seen,
            0};
}

Event unpack(const PackedCqe& packed) {
    CqeSeen cqe;
    cqe.request = packed.request;
    cqe.ifq = packed.ifq;
    cqe.stream = packed.stream;
    cqe.result = packed.result;
    cqe.flags = packed.flags;
    cqe.offset = packed.offset;
    cqe.padding = packed.padding;
    cqe.big = packed.big != 0;
    cqe.position = packed.position;
    if (packed.has_mismatch != 0) cqe.mismatch = packed.mismatch;
    cqe.expected = packed.expected;
    cqe.seen = packed.seen;
    return {packed.nanoseconds, cqe};
}

Event unpack(const PackedReturn& packed) {
    BufferReturned returned;
    returned.ifq = packed.ifq;
    returned.offset = packed.offset;
    returned.length = packed.length;
    if (packed.has_changed != 0) returned.changed = packed.changed;
    returned.on_purpose = packed.on_purpose != 0;
    return {packed.nanoseconds, returned};
}

Event unpack(const PackedSent& packed) {
    return {packed.nanoseconds, PeerSent{packed.stream, packed.total}};
}

template <typename Packed>
bool unpack_fixed(std::span<const std::byte> bytes, std::vector<Event>& out) {
    Packed packed{};
    if (!take(bytes, packed)) return false;
    out.push_back(unpack(packed));
    return true;
}

bool unpack_dma(std::span<const std::byte> bytes, std::vector<Event>& out) {
    PackedDma packed{};
    DmaWrites writes;
    if (!take(bytes, packed) || !take_list(bytes, packed.entries, writes.entries) ||
        !take_list(bytes, packed.flows, writes.flows))
        return false;
    writes.lost = packed.lost;
    out.push_back({packed.nanoseconds, std::move(writes)});
    return true;
}

bool unpack_area(std::span<const std::byte> bytes, std::vector<Event>& out) {
    PackedArea packed{};
    AreaRegistered area;
    if (!take(bytes, packed) || !take_list(bytes, packed.pages, area.pages)) return false;
    area.ifq = packed.ifq;
    area.area = packed.area;
    area.address = packed.address;
    area.length = packed.length;
    area.memory.assign(packed.memory, ::strnlen(packed.memory, sizeof packed.memory));
    out.push_back({packed.nanoseconds, std::move(area)});
    return true;
}

bool unpack_json(std::span<const std::byte> bytes, std::vector<Event>& out) {
    uint64_t time = 0;
    if (!take(bytes, time)) return false;
    Result<Event> event =
        event_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!event) return false;
    event->nanoseconds = time;
    out.push_back(*std::move(event));
    return true;
}

}  // namespace

Result<Tape> Tape::create(size_t capacity) {
    Fd fd(memfd_create("zcrxlab-tape", MFD_CLOEXEC));
    if (!fd) return error_from_errno("memfd_create for a tape");
    if (ftruncate(fd.get(), static_cast<off_t>(capacity)) != 0)
        return error_from_errno("ftruncate of a tape");
    Result<Tape> tape = open(fd.release());
    if (!tape) return tape;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&tape->header()->writing, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return tape;
}

Result<Tape> Tape::open(int descriptor) {
    Fd fd(descriptor);
    struct stat status {};
    if (fstat(fd.get(), &status) != 0) return error_from_errno("fstat of a tape");
    if (status.st_size < static_cast<off_t>(sizeof(Header)))
        return Error{EINVAL, "The tape is too small to hold anything."};
    Result<Mapping> mapping = Mapping::map(static_cast<size_t>(status.st_size),
                                           PROT_READ | PROT_WRITE, MAP_SHARED, fd.get());
    if (!mapping) return mapping.error();
    return Tape(std::move(fd), *std::move(mapping));
}

Tape::Tape(Tape&& other) noexcept
    : fd_(std::move(other.fd_)), mapping_(std::move(other.mapping_)) {}

Tape::Header* Tape::header() const {
    return reinterpret_cast<Header*>(mapping_.data());
}

std::span<std::byte> Tape::room(Kind kind, size_t length) {
    const uint64_t used = header()->used.load(std::memory_order_relaxed);
    // Failures must find room when events have filled the tape.
    const bool text = kind == Kind::kFailure || kind == Kind::kFacts || kind == Kind::kSkip ||
                      kind == Kind::kFinished;
    const size_t kept = text ? 0 : std::min<size_t>(size_t{64} << 10, mapping_.size() / 4);
    const size_t free = mapping_.size() - sizeof(Header) -
                        std::min<size_t>(used + kept, mapping_.size() - sizeof(Header));
    if (free < sizeof(EntryHeader) + padded(length)) return {};
    std::byte* at = mapping_.data() + sizeof(Header) + used;
    const EntryHeader entry{static_cast<uint32_t>(kind), 0, length};
    std::memcpy(at, &entry, sizeof(entry));
    return {at + sizeof(entry), length};
}

void Tape::commit(size_t length) {
    header()->used.fetch_add(sizeof(EntryHeader) + padded(length), std::memory_order_release);
}

void Tape::append(Kind kind, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const Turn turn(header()->writing);
    append_now(kind, text);
}

void Tape::append_now(Kind kind, std::string_view text) {
    const std::span<std::byte> place = room(kind, text.size());
    if (place.empty() && !text.empty()) return;
    std::memcpy(place.data(), text.data(), place.size());
    commit(text.size());
}

void Tape::failure(std::string_view text, const ComplaintFacts& facts) {
    const std::lock_guard lock(mutex_);
    const Turn turn(header()->writing);
    append_now(Kind::kFailure, text);
    append_now(Kind::kFacts, to_json(facts));
}
void Tape::skip(std::string_view text) {
    append(Kind::kSkip, text);
}
void Tape::measurement(std::string_view json) {
    append(Kind::kMeasurement, json);
}
void Tape::finished() {
    append(Kind::kFinished, " ");
}

void Tape::event(const Event& event) {
    const uint64_t time = event.nanoseconds;
    const auto write = [&](Kind kind, size_t length, auto&& fill) {
        const std::lock_guard lock(mutex_);
        const Turn turn(header()->writing);
        const std::span<std::byte> place = room(kind, length);
        if (place.empty()) {
            header()->lost.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        Writer writer(place);
        fill(writer);
        commit(length);
    };
    if (const auto* cqe = std::get_if<CqeSeen>(&event.body)) {
        write(Kind::kCqe, sizeof(PackedCqe), [&](Writer& w) { w.put(pack(time, *cqe)); });
    } else if (const auto* back = std::get_if<BufferReturned>(&event.body)) {
        const PackedReturn packed{time,
                                  back->offset,
                                  back->length,
                                  back->changed.value_or(0),
                                  back->ifq,
                                  static_cast<uint8_t>(back->changed.has_value()),
                                  static_cast<uint8_t>(back->on_purpose),
                                  0};
        write(Kind::kReturn, sizeof(packed), [&](Writer& w) { w.put(packed); });
    } else if (const auto* sent = std::get_if<PeerSent>(&event.body)) {
        const PackedSent packed{time, sent->total, sent->stream, 0};
        write(Kind::kSent, sizeof(packed), [&](Writer& w) { w.put(packed); });
    } else if (const auto* dma = std::get_if<DmaWrites>(&event.body)) {
        const PackedDma packed{time, dma->lost, dma->entries.size(), dma->flows.size()};
        const size_t length = sizeof(packed) + dma->entries.size() * sizeof(DmaLogEntry) +
                              dma->flows.size() * sizeof(DmaLogFlow);
        write(Kind::kDmaWrites, length, [&](Writer& w) {
            w.put(packed);
            w.put_list(dma->entries);
            w.put_list(dma->flows);
        });
    } else if (const auto* area = std::get_if<AreaRegistered>(&event.body)) {
        PackedArea packed{
            time, area->address, area->length, area->pages.size(), area->ifq, area->area, {}};
        area->memory.copy(packed.memory, sizeof packed.memory);
        write(Kind::kArea, sizeof(packed) + area->pages.size() * 8, [&](Writer& w) {
            w.put(packed);
            w.put_list(area->pages);
        });
    } else {
        const std::string json = to_json(event);
        write(Kind::kEvent, sizeof(time) + json.size(), [&](Writer& w) {
            w.put(time);
            w.put_list(std::vector<char>(json.begin(), json.end()));
        });
    }
}

TapeContents Tape::read() const {
    TapeContents contents;
    contents.events_lost = header()->lost.load(std::memory_order_relaxed);
    const uint64_t used = header()->used.load(std::memory_order_acquire);
    std::span<const std::byte> rest(mapping_.data() + sizeof(Header),
                                    std::min<uint64_t>(used, mapping_.size() - sizeof(Header)));
    EntryHeader entry{};
    while (take(rest, entry)) {
        if (entry.length > rest.size()) break;
        const std::span<const std::byte> body = rest.first(entry.length);
        rest = rest.subspan(std::min(padded(entry.length), rest.size()));
        const std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
        bool good = true;
        if (const auto kind = static_cast<Kind>(entry.kind); kind == Kind::kEvent) {
            good = unpack_json(body, contents.events);
        } else if (kind == Kind::kCqe) {
            good = unpack_fixed<PackedCqe>(body, contents.events);
        } else if (kind == Kind::kReturn) {
            good = unpack_fixed<PackedReturn>(body, contents.events);
        } else if (kind == Kind::kSent) {
            good = unpack_fixed<PackedSent>(body, contents.events);
        } else if (kind == Kind::kDmaWrites) {
            good = unpack_dma(body, contents.events);
        } else if (kind == Kind::kArea) {
            good = unpack_area(body, contents.events);
        } else if (kind == Kind::kFailure) {
            contents.failures.emplace_back(text);
        } else if (kind == Kind::kFacts) {
            contents.failure_facts.resize(contents.failures.size());
            if (!contents.failures.empty()) contents.failure_facts.back() = facts_from_json(text);
        } else if (kind == Kind::kSkip) {
            contents.skips.emplace_back(text);
        } else if (kind == Kind::kMeasurement) {
            contents.measurements.emplace_back(text);
        } else if (kind == Kind::kFinished) {
            contents.finished = true;
        } else {
            good = false;
        }
        if (!good) {
            contents.failures.emplace_back("The child left an entry that makes no sense.");
            break;
        }
    }
    return contents;
}

}  // namespace zcrxlab
