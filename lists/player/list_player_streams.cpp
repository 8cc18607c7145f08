// ListPlayer: lets the peer send, submits requests, and receives their CQEs.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "harness/base/errno_name.hpp"
#include "harness/ring/socket_queues.hpp"
#include "lists/player/list_player.hpp"
#include "lists/player/promises.hpp"
#include "lists/player/registration.hpp"
#include "scenarios/framework/streams/stream_progress.hpp"

namespace zcrxlab {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint64_t kNopData = uint64_t{0x909} << 48;
constexpr uint64_t kRefusedData = uint64_t{0x0ff} << 48;

}  // namespace

void ListPlayer::send(const Action& action) {
    PlayedStream* of = stream(action.name);
    if (of == nullptr) return;
    std::vector<uint32_t> cut;
    for (const uint64_t bytes : action.numbers("cut")) cut.push_back(static_cast<uint32_t>(bytes));
    of->asked += action.number("bytes");
    of->peer->send_more(action.number("bytes"), std::move(cut));
}

void ListPlayer::send_urgent(const Action& action) {
    PlayedStream* of = stream(action.name);
    if (of == nullptr) return;
    const int on = 1;
    ::setsockopt(of->socket.get(), SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    of->peer->send_urgent();
    of->asked += 1;
}

void ListPlayer::end(const Action& action) {
    if (PlayedStream* of = stream(action.name))
        of->peer->end(action.word("how") == "fin" ? PeerEnd::kFin : PeerEnd::kReset);
}

void ListPlayer::arm(const Action& action) {
    PlayedStream* armed = stream(action.name);
    PlayedIfq* through = armed != nullptr ? ifq(armed->ifq) : nullptr;
    PlayedRing* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    Receiver& receiver = *with->receiver;
    receiver.options().limit = static_cast<uint32_t>(action.number("limit"));
    receiver.options().poll_first = action.yes("poll_first");
    armed->before = receiver.state(armed->number);
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

bool ListPlayer::receive(PlayedRing& with, milliseconds bound,
                         const std::function<bool()>& condition) {
    bool held = false;
    scene_.must(with.receiver->run(bound, [&] { return held = condition(); }));
    sort_other(with);
    return held || condition();
}

void ListPlayer::cancel(const Action& action) {
    PlayedStream* cancelled = stream(action.name);
    PlayedIfq* through = cancelled != nullptr ? ifq(cancelled->ifq) : nullptr;
    PlayedRing* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    const StreamState& state = with->receiver->state(cancelled->number);
    if (!state.armed) return scene_.note("left out: no request is armed");
    scene_.must(with->receiver->cancel(cancelled->number));
    if (!receive(*with, within(action), [&] { return !state.armed; }))
        give_up("A cancelled request did not end in time: " +
                progress_of(state, cancelled->peer->sent()));
}

void ListPlayer::refuse(const Action& action) {
    PlayedStream* of = stream(action.name);
    PlayedIfq* through = of != nullptr ? ifq(of->ifq) : nullptr;
    PlayedRing* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    io_uring_sqe& entry = *scene_.must(with->ring.next_sqe());
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = of->socket.get();
    entry.ioprio = uapi::kRecvMultishot;
    entry.splice_fd_in = static_cast<int32_t>(through->zcrx_id);
    entry.user_data = kRefusedData;
    const std::string as = action.word("as");
    if (as == "one_shot") entry.ioprio = 0;
    if (as == "unknown_flag") entry.ioprio |= 1U << 15;
    if (as == "message_flags") entry.msg_flags = MSG_PEEK;
    if (as == "address") entry.addr = kPageSize;
    if (as == "address_2") entry.off = kPageSize;
    if (as == "address_3") entry.addr3 = kPageSize;
    if (as == "unknown_ifq") entry.splice_fd_in = -1;
    if (as == "no_descriptor") entry.fd = -1;
    if (as == "buffer_selection") entry.flags |= IOSQE_BUFFER_SELECT;
    if (as == "ring") entry.fd = with->ring.fd();
    with->receiver->expect_other(kRefusedData, "recv_zc");
    ++with->refusals;
    with->refused.reset();
    if (!receive(*with, scene_.time_left(), [&] {
            sort_other(*with);
            return with->refused.has_value();
        }))
        give_up("A request that had to be refused got no CQE: " + to_text(action));
    if (with->refused->flags != 0)
        ADD_FAILURE() << "The CQE of a refused request has flags: " << to_text(action);
    returned(action, -with->refused->result, "the request was refused: " + to_text(action));
}

void ListPlayer::wait_for_queued(PlayedStream& waiting, uint64_t bytes, milliseconds bound) {
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

void ListPlayer::wait(const Action& action) {
    PlayedStream* waiting = stream(action.name);
    PlayedIfq* through = waiting != nullptr ? ifq(waiting->ifq) : nullptr;
    PlayedRing* with = through != nullptr ? ring(through->ring) : nullptr;
    if (with == nullptr) return;
    if (action.has("queued")) wait_for_queued(*waiting, action.number("queued"), within(action));
    const bool eof = action.yes("eof");
    if (!action.has("bytes") && !action.has("final") && !eof) return;
    if (!waiting->added) return scene_.note("left out: no request was ever armed");

    const StreamState& state = with->receiver->state(waiting->number);
    const Result<int> final =
        errno_from_name(action.has("final") ? action.word("final") : std::string("any"));
    const auto has_final = [&] {
        const StreamState& before = waiting->before;
        return state.final_cqes > before.final_cqes &&
               (*final == kAnyErrno || state.final_result == -*final ||
                (*final == ENOSPC && state.no_slots > before.no_slots) ||
                (*final == ENOMEM && state.no_buffers > before.no_buffers));
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

void ListPlayer::run_until_quiet(const Action& action) {
    PlayedRing* with = ring(action.name);
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

void ListPlayer::submit(const Action& action) {
    PlayedRing* with = ring(action.name);
    if (with == nullptr) return;
    scene_.must(with->ring.submit());
    scene_.must(with->ring.poll());
}

void ListPlayer::submit_nops(const Action& action) {
    PlayedRing* with = ring(action.name);
    if (with == nullptr) return;
    for (uint64_t i = 0; i < action.number("count"); ++i) {
        io_uring_sqe& entry = *scene_.must(with->ring.next_sqe());
        entry.opcode = uapi::kOpNop;
        entry.user_data = kNopData;
        with->receiver->expect_other(kNopData, "nop");
        ++with->nops;
    }
    scene_.must(with->ring.submit());
}

void ListPlayer::sort_other(PlayedRing& with) {
    for (const Completion& cqe : with.receiver->take_other()) {
        if (cqe.user_data == kNopData && with.nops > 0) {
            --with.nops;
        } else if (cqe.user_data == kRefusedData && with.refusals > 0) {
            --with.refusals;
            with.refused = cqe;
        } else if ((cqe.user_data & kEventData) == kEventData && cqe.user_data != kNopData) {
            with.events.push_back(cqe);
            if (++with.told[{cqe.user_data, cqe.result}] > 1)
                ADD_FAILURE() << "An event was told again, and nobody had armed it again.";
        } else {
            ADD_FAILURE() << "A CQE came that belongs to no request.";
        }
    }
}

void ListPlayer::await_nops(PlayedRing& with) {
    sort_other(with);
    // Those that a full CQ has kept back come as its slots are free again.
    for (uint64_t before = with.nops + 1; with.nops > 0 && with.nops < before;) {
        before = with.nops;
        scene_.must(with.receiver->catch_up());
        sort_other(with);
    }
    if (with.nops > 0) ADD_FAILURE() << with.nops << " NOPs never got their CQE.";
}

void ListPlayer::set_policy(const Action& action) {
    PlayedRing* with = ring(action.name);
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

}  // namespace zcrxlab
