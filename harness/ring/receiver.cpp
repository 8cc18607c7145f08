// The receive loop. A batch of CQEs is taken, checked and recorded; then buffers go back, and then
// what ended for want of slots or buffers is armed again.
#include "harness/ring/receiver.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

#include "harness/ring/socket_queues.hpp"

namespace zcrxlab {
namespace {

using Clock = std::chrono::steady_clock;

// How long to sleep at most while something besides a CQE may happen.
constexpr std::chrono::milliseconds kSlice{50};
constexpr std::chrono::milliseconds kShortSlice{2};

// As the trace calls it.
uint32_t number_of(const Ring& ring) {
    return static_cast<uint32_t>(ring.fd());
}

}  // namespace

Receiver::Receiver(Ring& ring, Trace& trace, const ReceiverOptions& options)
    : ring_(ring), trace_(trace), options_(options) {
    if (options_.record && options_.small_cq) trace_.add(CqMayOverflow{number_of(ring_)});
}

Receiver::~Receiver() {
    if (options_.record) trace_.add(CqRead{number_of(ring_), ring_.lost(), ring_.overruns()});
}

Result<void> Receiver::add(uint32_t stream, int socket, Ifq& ifq, uint64_t seed, uint64_t position,
                           std::optional<uint32_t> zcrx_id) {
    auto [at, inserted] = streams_.try_emplace(stream, Stream{{}, &ifq, Pattern(seed)});
    if (!inserted)
        return Error{EEXIST, "stream " + std::to_string(stream) + " is being received already"};
    at->second.state.stream = stream;
    at->second.state.socket = socket;
    at->second.state.bytes = position;
    at->second.zcrx_id = zcrx_id ? *zcrx_id : ifq.zcrx_id();
    queue_of(ifq).zcrx_id = at->second.zcrx_id;
    return arm_anew(at->second);
}

Result<void> Receiver::arm_anew(Stream& stream) {
    stream.limit = options_.limit;
    stream.poll_first = options_.poll_first;
    stream.cancelled = false;
    return arm(stream);
}

Receiver::Queue& Receiver::queue_of(Ifq& ifq) {
    // Two empty deques are made of memory: too much for every CQE.
    if (const auto at = queues_.find(&ifq); at != queues_.end()) return at->second;
    return queues_.emplace(&ifq, Queue{&ifq, ifq.zcrx_id(), {}, {}, 0, true}).first->second;
}

Result<void> Receiver::arm(Stream& stream) {
    auto sqe = ring_.next_sqe();
    if (!sqe) return sqe.error();
    StreamState& state = stream.state;
    stream.request = uint64_t{state.stream} << 32 | next_request_++;
    stream.request_bytes = 0;
    stream.waits_for_buffer = false;
    io_uring_sqe& entry = **sqe;
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = stream.state.socket;
    entry.ioprio = uapi::kRecvMultishot;
    if (stream.poll_first) entry.ioprio |= uapi::kRecvPollFirst;
    entry.len = stream.limit;
    entry.splice_fd_in = static_cast<int32_t>(stream.zcrx_id);  // zcrx_ifq_idx
    entry.user_data = stream.request;
    if (options_.change) options_.change(entry);
    requests_[stream.request] = state.stream;
    state.armed = true;
    state.ended = false;
    ++state.requests;
    if (options_.record) {
        trace_.add(RequestSubmitted{stream.request, stream.ifq->number(), state.stream,
                                    stream.limit, stream.poll_first, number_of(ring_)});
    }
    return {};
}

Result<void> Receiver::arm(uint32_t stream) {
    const auto at = streams_.find(stream);
    if (at == streams_.end())
        return Error{ENOENT, "stream " + std::to_string(stream) + " is not being received"};
    if (at->second.state.armed)
        return Error{EALREADY, "stream " + std::to_string(stream) + " is armed already"};
    return arm_anew(at->second);
}

Result<void> Receiver::arm_another(uint32_t stream) {
    const auto at = streams_.find(stream);
    if (at == streams_.end())
        return Error{ENOENT, "stream " + std::to_string(stream) + " is not being received"};
    return arm(at->second);
}

void Receiver::sockets_closed() {
    for (auto& [number, stream] : streams_)
        if (!stream.state.armed) stream.state.socket = -1;
}

Result<void> Receiver::cancel(uint32_t stream) {
    const auto at = streams_.find(stream);
    if (at == streams_.end() || !at->second.state.armed)
        return Error{ENOENT, "stream " + std::to_string(stream) + " has no request to cancel"};
    auto sqe = ring_.next_sqe();
    if (!sqe) return sqe.error();
    io_uring_sqe& entry = **sqe;
    entry.opcode = uapi::kOpAsyncCancel;
    entry.fd = -1;
    entry.addr = at->second.request;
    entry.user_data = kCancelData;
    at->second.cancelled = true;
    if (options_.record)
        trace_.add(OtherSubmitted{number_of(ring_), kCancelData, "cancel", at->second.request});
    return {};
}

bool Receiver::any_armed() const {
    return std::any_of(streams_.begin(), streams_.end(),
                       [](const auto& stream) { return stream.second.state.armed; });
}

Result<RunEnd> Receiver::wind_up(std::chrono::milliseconds timeout) {
    for (auto& [number, stream] : streams_) {
        stream.waits_for_buffer = false;
        if (!stream.state.armed || stream.cancelled) continue;
        if (auto cancelled = cancel(number); !cancelled) return cancelled.error();
    }
    // Also where no time is left: a cancel that the kernel never got says nothing about the kernel.
    if (auto submitted = ring_.submit(); !submitted) return submitted.error();
    if (auto polled = ring_.poll(); !polled) return polled.error();
    if (auto read = read_cq(); !read) return read.error();
    auto end = run(timeout, [this] { return !any_armed(); });
    compare_held();
    return end;
}

void Receiver::compare_held() {
    if (!options_.record || !options_.compare) return;
    for (const auto& [ifq, queue] : queues_) compare_held_of(queue);
}

void Receiver::compare_held_of(const Queue& queue) {
    uint64_t cqes = 0;
    std::optional<HeldCompared> changed;
    for (const auto* list : {&queue.held, &queue.waiting}) {
        for (const Held& held : *list) {
            ++cqes;
            if (changed) continue;
            const auto mismatch =
                streams_.at(held.stream)
                    .pattern.compare(queue.ifq->payload(held.offset, held.length), held.position);
            if (mismatch)
                changed = HeldCompared{0, 0, mismatch->position, held.stream, held.offset};
        }
    }
    HeldCompared compared = changed.value_or(HeldCompared{});
    compared.ifq = queue.ifq->number();
    compared.cqes = cqes;
    trace_.add(compared);
}

void Receiver::expect_other(uint64_t user_data, const std::string& operation) {
    trace_.add(OtherSubmitted{number_of(ring_), user_data, operation});
}

Result<void> Receiver::read_cq() {
    if (options_.record && (ring_.full() || ring_.keeps_back()))
        trace_.add(CqFull{number_of(ring_), ring_.keeps_back()});
    batch_.clear();
    ring_.reap(batch_);
    for (const Completion& completion : batch_)
        if (auto handled = handle(completion); !handled) return handled;
    return {};
}

Result<void> Receiver::handle(const Completion& completion) {
    const auto request = requests_.find(completion.user_data);
    if (request == requests_.end()) {
        if (options_.record)
            trace_.add(OtherCqeSeen{number_of(ring_), completion.user_data, completion.result,
                                    completion.flags, completion.offset, completion.padding,
                                    completion.big});
        if (completion.user_data != kCancelData) other_.push_back(completion);
        return {};
    }
    Stream& stream = streams_.at(request->second);
    if (completion.result > 0) handle_data(stream, completion);
    if ((completion.flags & uapi::kCqeMore) != 0) {
        if (completion.result <= 0) record_without_data(stream, completion);
        return {};
    }
    requests_.erase(request);
    return handle_final(stream, completion);
}

void Receiver::record_without_data(const Stream& stream, const Completion& completion) {
    if (!options_.record) return;
    trace_.add(CqeSeen{completion.user_data, stream.ifq->number(), stream.state.stream,
                       completion.result, completion.flags, completion.offset, completion.padding,
                       completion.big, stream.state.bytes, std::nullopt, 0, 0});
}

void Receiver::handle_data(Stream& stream, const Completion& completion) {
    StreamState& state = stream.state;
    const auto length = static_cast<uint32_t>(completion.result);
    const bool readable = completion.big && !completion.torn;
    const auto payload =
        readable ? stream.ifq->payload(completion.offset, length) : std::span<const std::byte>();
    const uint64_t position = state.bytes;
    std::optional<Mismatch> mismatch;
    if (options_.compare && !payload.empty()) mismatch = stream.pattern.compare(payload, position);
    if (options_.record) {
        trace_.add(CqeSeen{
            completion.user_data, stream.ifq->number(), state.stream, completion.result,
            completion.flags, completion.offset, completion.padding, completion.big, position,
            mismatch ? std::optional(mismatch->position) : std::nullopt,
            mismatch ? mismatch->expected : uint8_t{0}, mismatch ? mismatch->seen : uint8_t{0}});
    }
    state.bytes += length;
    stream.request_bytes += length;
    total_bytes_ += length;
    ++state.data_cqes;
    if (mismatch) {
        ++state.mismatches;
        if (!state.first_mismatch) state.first_mismatch = mismatch;
    }
    if (capacity_ && capacity_->ifq == stream.ifq)
        capacity_->add(completion.offset, length, stream.ifq->buffer_size());
    if (on_data) on_data(state.stream, completion, payload);
    // What lies outside every area is no buffer that could be given back.
    if (!payload.empty()) {
        queue_of(*stream.ifq)
            .held.push_back({state.stream, completion.offset, length, position, false});
    }
}

Result<void> Receiver::handle_final(Stream& stream, const Completion& completion) {
    StreamState& state = stream.state;
    if (options_.record && completion.result == -ENOMEM) {
        const RefillRing& refill = stream.ifq->refill();
        const uint32_t ifq = stream.ifq->number();
        trace_.add_read([&] { return RefillRead{ifq, refill.tail() - refill.head()}; });
    }
    if (completion.result <= 0) record_without_data(stream, completion);
    state.armed = false;
    state.final_result = completion.result;
    ++state.final_cqes;
    const bool limit_reached = stream.limit != 0 && stream.request_bytes >= stream.limit;
    // A request may end for another reason before it can be cancelled.
    const bool rearm = options_.rearm && !stream.cancelled;
    bool again = false;
    if (completion.result == -ENOSPC) {
        ++state.no_slots;
        again = true;
    } else if (completion.result == -ENOMEM) {
        ++state.no_buffers;
        stream.waits_for_buffer = rearm && options_.returns != ReturnPolicy::kNever;
        state.ended = !stream.waits_for_buffer;
        stream.try_again = Clock::now();
        // It got nothing at all: asking again at once would only fill the trace.
        if (stream.request_bytes == 0) stream.try_again += kShortSlice;
        return {};
    } else if (completion.result >= 0 && limit_reached) {
        again = true;
    }
    if (again && rearm) return arm(stream);
    state.ended = true;
    return {};
}

Result<RunEnd> Receiver::run(std::chrono::milliseconds timeout,
                             const std::function<bool()>& condition) {
    const auto deadline = Clock::now() + timeout;
    StallWatch stall_watch(options_.stall_moment);
    for (;;) {
        if (condition && condition()) return RunEnd::kSatisfied;
        const bool all_ended = std::all_of(streams_.begin(), streams_.end(),
                                           [](const auto& s) { return s.second.state.ended; });
        if (all_ended && !condition) return RunEnd::kAllEnded;
        const auto now = Clock::now();
        if (now >= deadline) return all_ended ? RunEnd::kAllEnded : RunEnd::kTimedOut;

        const bool busy = std::any_of(queues_.begin(), queues_.end(),
                                      [](const auto& q) { return !q.second.waiting.empty(); }) ||
                          std::any_of(streams_.begin(), streams_.end(),
                                      [](const auto& s) { return s.second.waits_for_buffer; });
        std::chrono::nanoseconds slice = busy ? kShortSlice : kSlice;
        if (capacity_ && !busy)
            slice = std::clamp<std::chrono::nanoseconds>(capacity_->silence_means - now,
                                                         kShortSlice, kSlice);
        auto waited = ring_.wait(std::min<std::chrono::nanoseconds>(slice, deadline - now));
        if (!waited) return waited.error();

        if (auto read = read_cq(); !read) return read.error();
        for (auto& [ifq, queue] : queues_) {
            apply_policy(queue);
            if (auto pushed = push_waiting(queue); !pushed) return pushed.error();
        }
        if (auto armed = arm_waiting(); !armed) return armed.error();
        if (batch_.empty() && any_stalled(stall_watch)) return RunEnd::kStalled;
    }
}

bool Receiver::any_stalled(StallWatch& watch) const {
    if (!watch.watches()) return false;
    bool any = false;
    for (const auto& [number, stream] : streams_) {
        // A request that polls first waits for the next packet, whatever is there.
        const bool could_go_on = stream.state.armed && !stream.poll_first && !stream.cancelled;
        const int queued = could_go_on ? bytes_queued(stream.state.socket) : 0;
        any = watch.stalled(number, stream.state.bytes, queued, Clock::now()) || any;
    }
    return any;
}

Result<RunEnd> Receiver::run_until_bytes(uint32_t stream, uint64_t bytes,
                                         std::chrono::milliseconds timeout) {
    const StreamState& wanted = state(stream);
    auto end = run(timeout, [&] { return wanted.bytes >= bytes || wanted.ended; });
    if (end && wanted.bytes < bytes && wanted.ended) return RunEnd::kAllEnded;
    return end;
}

void Receiver::apply_policy(Queue& queue) {
    switch (options_.returns) {
        case ReturnPolicy::kAtOnce:
            while (!queue.held.empty()) {
                queue.waiting.push_back(queue.held.front());
                queue.held.pop_front();
            }
            break;
        case ReturnPolicy::kHold:
            while (queue.held.size() > options_.hold) {
                queue.held.front().compare = true;
                queue.waiting.push_back(queue.held.front());
                queue.held.pop_front();
            }
            break;
        case ReturnPolicy::kReverse:
            if (queue.held.size() >= std::max<size_t>(options_.hold, 1)) release_all(queue);
            break;
        case ReturnPolicy::kNever:
            break;
    }
}

void Receiver::release_all(Queue& queue) {
    const bool reverse = options_.returns == ReturnPolicy::kReverse;
    if (reverse) std::reverse(queue.held.begin(), queue.held.end());
    for (Held& held : queue.held) {
        held.compare = true;
        queue.waiting.push_back(held);
    }
    queue.held.clear();
}

Result<void> Receiver::push_waiting(Queue& queue) {
    const std::lock_guard lock(queue.ifq->refill_lock());
    RefillRing& refill = queue.ifq->refill();
    uint64_t pushed = 0;
    while (!queue.waiting.empty()) {
        if (refill.space() == 0) {
            refill.publish();
            // Where the kernel cannot be asked, it takes entries when the NIC wants buffers.
            if (queue.can_flush) {
                if (auto flushed = flush(*queue.ifq); !flushed) return flushed;
            }
            if (refill.space() == 0) break;
        }
        give_back(queue, queue.waiting.front());
        queue.waiting.pop_front();
        ++pushed;
    }
    if (pushed != 0) refill.publish();
    queue.unflushed += pushed;
    // Without a device nothing but a flush ever takes entries.
    if (queue.ifq->nodev() && queue.unflushed * 4 >= queue.ifq->buffers()) return flush(*queue.ifq);
    return {};
}

void Receiver::give_back(Queue& queue, const Held& held) {
    std::optional<uint64_t> changed;
    if (held.compare && options_.compare_again && options_.compare) {
        const Stream& stream = streams_.at(held.stream);
        const auto mismatch =
            stream.pattern.compare(queue.ifq->payload(held.offset, held.length), held.position);
        if (mismatch) changed = mismatch->position;
    }
    queue.ifq->refill().push(held.offset, held.length);
    if (options_.record)
        trace_.add(BufferReturned{queue.ifq->number(), held.offset, held.length, changed});
}

Result<void> Receiver::flush(Ifq& ifq) {
    Queue& queue = queue_of(ifq);
    queue.unflushed = 0;
    if (auto flushed = ifq.flush_through(ring_, queue.zcrx_id); !flushed) {
        const int code = flushed.error().code;
        if (code != EINVAL && code != EOPNOTSUPP) return flushed;
        queue.can_flush = false;
    }
    return {};
}

Result<void> Receiver::arm_waiting() {
    for (auto& [number, stream] : streams_) {
        if (!stream.waits_for_buffer || Clock::now() < stream.try_again) continue;
        Queue& queue = queue_of(*stream.ifq);
        // Copies take free buffers only, never those that still lie in the refill ring.
        release_all(queue);
        if (auto pushed = push_waiting(queue); !pushed) return pushed;
        if (queue.can_flush) {
            if (auto flushed = flush(*stream.ifq); !flushed) return flushed;
        }
        if (auto armed = arm(stream); !armed) return armed;
    }
    return {};
}

Result<void> Receiver::return_held() {
    for (auto& [ifq, queue] : queues_) {
        release_all(queue);
        if (auto pushed = push_waiting(queue); !pushed) return pushed;
    }
    return {};
}

Result<std::vector<uint64_t>> Receiver::return_some(Ifq& ifq, size_t count, bool newest_first) {
    Queue& queue = queue_of(ifq);
    std::vector<uint64_t> offsets;
    while (offsets.size() < count && !queue.held.empty()) {
        Held held = newest_first ? queue.held.back() : queue.held.front();
        if (newest_first)
            queue.held.pop_back();
        else
            queue.held.pop_front();
        held.compare = true;
        offsets.push_back(held.offset);
        queue.waiting.push_back(held);
    }
    if (auto pushed = push_waiting(queue); !pushed) return pushed.error();
    return offsets;
}

size_t Receiver::held() const {
    size_t count = 0;
    for (const auto& [ifq, queue] : queues_) count += queue.held.size() + queue.waiting.size();
    return count;
}

const StreamState& Receiver::state(uint32_t stream) const {
    static const StreamState kUnknown{};
    const auto at = streams_.find(stream);
    return at == streams_.end() ? kUnknown : at->second.state;
}

std::vector<StreamState> Receiver::states() const {
    std::vector<StreamState> states;
    states.reserve(streams_.size());
    for (const auto& [number, stream] : streams_) states.push_back(stream.state);
    return states;
}

void Receiver::finish(bool complete) {
    for (const auto& [number, stream] : streams_) trace_.add(StreamFinished{number, complete});
}

Result<void> Receiver::catch_up() {
    if (auto polled = ring_.poll(); !polled) return polled;
    return read_cq();
}

Result<std::optional<Completion>> Receiver::next_other(std::chrono::milliseconds timeout) {
    const auto end = run(timeout, [&] { return !other_.empty(); });
    if (!end) return end.error();
    if (other_.empty()) return std::optional<Completion>();
    const Completion oldest = other_.front();
    other_.erase(other_.begin());
    return std::optional(oldest);
}

std::vector<Completion> Receiver::take_other() {
    return std::exchange(other_, {});
}

}  // namespace zcrxlab
