// ListPlayer: gives buffers back, arms and awaits events, and counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "lists/player/list_player.hpp"
#include "lists/player/promises.hpp"
#include "lists/player/registration.hpp"

namespace zcrxlab {

using std::chrono::milliseconds;

void ListPlayer::give_back(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    PlayedRing* with = of != nullptr ? ring(of->ring) : nullptr;
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
    const std::lock_guard lock(of->ifq->refill_lock());
    for (const uint64_t offset : senseless) {
        if (!of->ifq->refill().push(offset, 0, as == "bad_padding" ? 1 : 0)) break;
        scene_.trace().add(BufferReturned{of->ifq->number(), offset, 0, {}, true});
    }
    of->ifq->refill().publish();
}

void ListPlayer::flush(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    PlayedRing* through = of != nullptr ? ring(of->ring) : nullptr;
    if (through == nullptr) return;
    const Result<void> flushed = of->ifq->flush_through(through->ring, of->zcrx_id);
    returned(action, flushed ? 0 : flushed.error().code, flushed ? "" : flushed.error().sentence);
}

void ListPlayer::await_event(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    PlayedRing* with = of != nullptr ? ring(of->ring) : nullptr;
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

void ListPlayer::count_capacity(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    PlayedRing* with = of != nullptr ? ring(of->ring) : nullptr;
    if (with == nullptr) return;
    Receiver& receiver = *with->receiver;
    TcpOptions options = ends_of(*of, 4);
    // Each step of the count waits for one, and none of them can be one too many.
    options.soonest_retransmission = milliseconds(10);
    options.gives_up = false;
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

void ListPlayer::arm_event(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    PlayedRing* with = of != nullptr ? ring(of->ring) : nullptr;
    if (with == nullptr) return;
    const bool copy = action.word("arm") == "copy";
    const Result<void> armed =
        of->ifq->arm(copy ? uapi::ZcrxEvent::kCopy : uapi::ZcrxEvent::kAllocFail);
    if (armed) --with->told[{kEventData | of->ifq->number(), copy ? 1 : 0}];
    returned(action, armed ? 0 : armed.error().code, armed ? "" : armed.error().sentence);
}

void ListPlayer::count(const Action& action) {
    PlayedStream* of = stream(action.name);
    PlayedIfq* through = of != nullptr ? ifq(of->ifq) : nullptr;
    PlayedRing* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    const StreamState& state = with->receiver->state(of->number);
    receive(*with, within(action), [&] {
        return has_come(action, {state.requests, state.final_cqes, state.data_cqes});
    });
    // One that is too many lies behind them.
    scene_.must(with->receiver->catch_up());
    sort_other(*with);
    for (const std::string& sentence :
         miscounts(action, cqes_of(scene_.trace().events_so_far(), of->number)))
        ADD_FAILURE() << sentence;
}

void ListPlayer::compare_buffers(const Action& action) {
    PlayedIfq* of = ifq(action.name);
    if (of == nullptr) return;
    const std::lock_guard lock(of->ifq->refill_lock());
    const RefillRing& refill = of->ifq->refill();
    for (const std::string& sentence :
         misplaced(action, buffers_held(scene_.trace().events_so_far(), of->ifq->number()),
                   refill.tail() - refill.head()))
        ADD_FAILURE() << sentence;
}

}  // namespace zcrxlab
