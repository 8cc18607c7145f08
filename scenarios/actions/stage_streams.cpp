// Stage: requests, CQEs and buffers.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "harness/base/errno_name.hpp"
#include "scenarios/actions/registration.hpp"
#include "scenarios/actions/stage.hpp"
#include "scenarios/form/stream_progress.hpp"

namespace zcrxlab {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint64_t kNopData = uint64_t{0x909} << 48;
constexpr uint64_t kCancelData = UINT64_MAX;  // as Receiver::cancel() has it

}  // namespace

void Stage::arm(const Action& action) {
    StreamOnStage* armed = stream(action.name);
    IfqOnStage* through = armed != nullptr ? ifq(armed->ifq) : nullptr;
    RingOnStage* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    Receiver& receiver = *with->receiver;
    receiver.options().limit = static_cast<uint32_t>(action.number("limit"));
    receiver.options().poll_first = action.yes("poll_first");
    armed->finals = receiver.state(armed->number).final_cqes;
    if (receiver.state(armed->number).armed) {
        scene_.note("left out: it is armed already");
        return;
    }
    scene_.must(armed->added ? receiver.arm(armed->number)
                             : receiver.add(armed->number, armed->socket.get(), *through->ifq,
                                            armed->seed, 0, through->zcrx_id));
    armed->added = true;
    scene_.must(with->ring.submit());
}

bool Stage::receive(RingOnStage& with, milliseconds bound, const std::function<bool()>& condition) {
    bool held = false;
    scene_.must(with.receiver->run(bound, [&] { return held = condition(); }));
    sort_other(with);
    return held || condition();
}

void Stage::cancel(const Action& action) {
    StreamOnStage* cancelled = stream(action.name);
    IfqOnStage* through = cancelled != nullptr ? ifq(cancelled->ifq) : nullptr;
    RingOnStage* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    const StreamState& state = with->receiver->state(cancelled->number);
    if (!state.armed) return scene_.note("left out: no request is armed");
    scene_.must(with->receiver->cancel(cancelled->number));
    if (!receive(*with, within(action), [&] { return !state.armed; }))
        give_up("A cancelled request did not end in time: " +
                progress_of(state, cancelled->peer->sent()));
}

void Stage::wait_for_queued(StreamOnStage& waiting, uint64_t bytes, milliseconds bound) {
    const int room = 4 << 20;
    ::setsockopt(waiting.socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    const auto deadline = steady_clock::now() + bound;
    int queued = 0;
    while ((queued = bytes_queued(waiting.socket.get())) >= 0) {
        if (static_cast<uint64_t>(queued) >= bytes) return;
        if (steady_clock::now() >= deadline) break;
        std::this_thread::sleep_for(milliseconds(1));
    }
    give_up("Only " + std::to_string(queued) + " of " + std::to_string(bytes) +
            " bytes of stream " + std::to_string(waiting.number) + " came to its socket in time.");
}

void Stage::wait(const Action& action) {
    StreamOnStage* waiting = stream(action.name);
    IfqOnStage* through = waiting != nullptr ? ifq(waiting->ifq) : nullptr;
    RingOnStage* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    if (action.has("queued")) wait_for_queued(*waiting, action.number("queued"), within(action));
    const bool eof = action.yes("eof");
    if (!action.has("bytes") && !action.has("final") && !eof) return;
    if (!waiting->added) return scene_.note("left out: no request was ever armed");

    const StreamState& state = with->receiver->state(waiting->number);
    const Result<int> final =
        errno_from_name(action.has("final") ? action.word("final") : std::string("any"));
    const auto has_final = [&] {
        return state.final_cqes > waiting->finals &&
               (*final == kAnyErrno || state.final_result == -*final ||
                (*final == ENOSPC && state.no_slots > 0) ||
                (*final == ENOMEM && state.no_buffers > 0));
    };
    const auto has_all = [&] {
        return (!action.has("bytes") || state.bytes >= action.number("bytes")) &&
               (!action.has("final") || has_final()) &&
               (!eof || (state.ended && state.final_result == 0 && state.bytes == waiting->asked));
    };
    const bool held =
        receive(*with, within(action), [&] { return has_all() || state.ended; }) && has_all();
    if (held) {
        waiting->ended_well = eof;
        return;
    }
    give_up("\"" + to_text(action) +
            "\" did not hold in time: " + progress_of(state, waiting->peer->sent()) + "; " +
            std::to_string(with->receiver->held()) + " buffers held");
}

void Stage::run_until_quiet(const Action& action) {
    RingOnStage* with = ring(action.name);
    if (with == nullptr) return;
    uint64_t seen = 0;
    auto newest = steady_clock::now();
    receive(*with, scene_.time_left(), [&] {
        uint64_t now = 0;
        for (const StreamState& state : with->receiver->states())
            now += state.data_cqes + state.final_cqes;
        if (now != seen) newest = steady_clock::now();
        seen = now;
        return steady_clock::now() - newest > milliseconds(action.number("quiet"));
    });
}

void Stage::submit_nops(const Action& action) {
    RingOnStage* with = ring(action.name);
    if (with == nullptr) return;
    for (uint64_t i = 0; i < action.number("count"); ++i) {
        io_uring_sqe& entry = *scene_.must(with->ring.next_sqe());
        entry.opcode = uapi::kOpNop;
        entry.user_data = kNopData;
        ++with->nops;
    }
    scene_.must(with->ring.submit());
}

void Stage::sort_other(RingOnStage& with) {
    for (const Completion& cqe : with.receiver->take_other()) {
        if (cqe.user_data == kCancelData) continue;
        if (cqe.user_data == kNopData && with.nops > 0) {
            --with.nops;
        } else if ((cqe.user_data & kEventData) == kEventData && cqe.user_data != kNopData) {
            with.events.push_back(cqe);
        } else {
            // A request has ended before, or there never was such a one: I2 says so.
            scene_.trace().add(CqeSeen{.request = cqe.user_data,
                                       .result = cqe.result,
                                       .flags = cqe.flags,
                                       .offset = cqe.offset,
                                       .padding = cqe.padding,
                                       .big = cqe.big});
            ADD_FAILURE() << "A CQE came that belongs to no request.";
        }
    }
}

void Stage::set_policy(const Action& action) {
    RingOnStage* with = ring(action.name);
    if (with == nullptr) return;
    ReceiverOptions& options = with->receiver->options();
    const std::string returns = action.word("returns");
    options.returns = returns == "hold"      ? ReturnPolicy::kHold
                      : returns == "reverse" ? ReturnPolicy::kReverse
                      : returns == "never"   ? ReturnPolicy::kNever
                                             : ReturnPolicy::kAtOnce;
    options.hold = static_cast<uint32_t>(action.number("hold"));
    options.rearm = action.yes("rearm");
}

void Stage::give_back(const Action& action) {
    IfqOnStage* of = ifq(action.name);
    RingOnStage* with = of != nullptr ? ring(of->ring) : nullptr;
    if (with == nullptr) return;
    const std::string as = action.word("as");
    const size_t count = action.has("count") ? action.number("count") : SIZE_MAX;
    std::vector<uint64_t> senseless;
    if (as == "valid" || as == "twice") {
        senseless = scene_.must(
            with->receiver->return_some(*of->ifq, count, action.word("order") == "newest"));
        if (as == "valid") return;
    } else {
        const uint64_t index = as == "bad_index" ? of->ifq->area().size() : 0;
        senseless.assign(std::min<size_t>(count, 64),
                         as == "bad_area" ? uint64_t{77} << 48 : index);
    }
    for (const uint64_t offset : senseless) {
        if (!of->ifq->refill().push(offset, 0, as == "bad_padding" ? 1 : 0)) break;
        scene_.trace().add(BufferReturned{of->ifq->number(), offset, 0, {}, true});
    }
    of->ifq->refill().publish();
}

void Stage::await_event(const Action& action) {
    IfqOnStage* of = ifq(action.name);
    RingOnStage* with = of != nullptr ? ring(of->ring) : nullptr;
    if (with == nullptr) return;
    const int32_t type = action.word("event") == "copy" ? 1 : 0;
    const auto is_it = [&](const Completion& cqe) {
        return cqe.user_data == (kEventData | of->ifq->number()) && cqe.result == type;
    };
    const bool came = receive(*with, within(action), [&] {
        sort_other(*with);
        return std::ranges::any_of(with->events, is_it);
    });
    if (!came) give_up("The event " + action.word("event") + " was not told in time.");
    with->events.erase(std::ranges::find_if(with->events, is_it));
}

void Stage::count_capacity(const Action& action) {
    IfqOnStage* of = ifq(action.name);
    RingOnStage* with = of != nullptr ? ring(of->ring) : nullptr;
    if (with == nullptr) return;
    Receiver& receiver = *with->receiver;
    TcpOptions options = ends_of(*of, 4);
    // Each step of the count waits for one, and none of them can be one too many.
    options.soonest_retransmission = milliseconds(10);
    const uint32_t number = scene_.next_stream();
    const uint64_t seed = scene_.seed(number);
    TcpPair pair =
        scene_.must(open_stream(listener(*of, options), options, number, seed, scene_.trace()));
    const ReceiverOptions before = receiver.options();
    receiver.options().limit = 0;
    receiver.options().rearm = true;
    scene_.must(receiver.add(number, pair.receiver.get(), *of->ifq, seed, 0, of->zcrx_id));
    PeerPlan plan;
    plan.stream = number;
    plan.seed = seed;
    plan.total = UINT64_MAX;
    plan.end = PeerEnd::kReset;
    Peer peer(std::move(pair.peer), std::move(plan), scene_.trace());
    if (auto measured = receiver.measure_capacity(*of->ifq, {}); !measured)
        give_up(measured.error().sentence);
    peer.stop();
    const StreamState& state = receiver.state(number);
    if (state.armed) {
        scene_.must(receiver.cancel(number));
        receive(*with, scene_.time_left(), [&] { return !state.armed; });
    }
    scene_.trace().add(StreamFinished{number, false});
    scene_.must(receiver.return_held());
    receiver.options() = before;
}

}  // namespace zcrxlab
