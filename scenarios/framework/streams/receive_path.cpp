// ReceivePath: setting up, connecting, receiving, closing.
#include "scenarios/framework/streams/receive_path.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/base/errno_name.hpp"
#include "harness/net/counters.hpp"
#include "harness/net/netdev.hpp"
#include "harness/ring/deferred_packets.hpp"
#include "harness/ring/socket_queues.hpp"
#include "scenarios/framework/streams/buffer_count.hpp"
#include "scenarios/framework/streams/stream_progress.hpp"

namespace zcrxlab {

namespace {

// What a request may take to go on where data waits for it.
constexpr std::chrono::milliseconds kStallMoment{2000};

// As much as may wait in any socket: what TCP begins with is twice that.
constexpr size_t kLeastUnread = 64 * 1024;

// Also beyond the limit of the system.
Result<void> set_receive_buffer(int socket, int bytes) {
    if (::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0) return {};
    return error_from_errno("set SO_RCVBUFFORCE");
}

// Goes on where "Not every stream ended" stops.
const char* and_why(ComplaintKind kind) {
    return kind == ComplaintKind::kStalled ? ", since a request does not go on: " : " in time: ";
}

ComplaintKind kind_of(RunEnd end) {
    return end == RunEnd::kStalled ? ComplaintKind::kStalled : ComplaintKind::kTimedOut;
}

}  // namespace

ReceivePath::ReceivePath(Scene& scene, ReceivePathOptions options)
    : scene_(scene),
      options_(std::move(options)),
      queue_(options_.queue ? *options_.queue : scene.next_queue()),
      ring_(scene.must(Ring::create(options_.ring))) {
    IfqOptions& ifq = options_.ifq;
    ifq.number = scene.next_ifq();
    ifq.interface = on_device() ? scene.endpoints().interface : std::string();
    ifq.queue = on_device() ? queue_ : 0;
    if (on_device()) {
        scene.prepare_nic();
        kept_by_driver_ = buffers_kept_by_driver(scene);
        not_replaced_ = packets_without_replacement(scene, queue_);
    }
    auto request = scene.must(IfqRequest::prepare(ifq));
    ifq_ = scene.must(options_.open ? options_.open(*ring_, std::move(request))
                                    : Ifq::open(*ring_, std::move(request), &scene.trace()));
    if (!options_.receiver.stall_moment)
        options_.receiver.stall_moment = scene.scaled(kStallMoment);
    receiver_ = std::make_unique<Receiver>(*ring_, scene.trace(), options_.receiver);
    count_.emplace(scene, *ifq_);
    if (options_.uncounted) scene.trace().add(BuffersNotCounted{ifq.number, *options_.uncounted});
}

ReceivePath::~ReceivePath() {
    if (ring_) {
        const bool interrupted = options_.left_armed && receiver_->any_armed();
        if (interrupted) {
            receiver_->compare_held();
        } else {
            count_uncounted();
            wind_up();
        }
        count_->record();
        leave_connections();
        leave_ring(interrupted);
    }
    leave_connections();
}

void ReceivePath::close_ring() {
    receiver_->compare_held();
    count_->record();
    leave_ring(receiver_->any_armed());
}

void ReceivePath::leave_connections() {
    peers_.clear();
    listeners_.clear();
    free_deferred_packets();
}

void ReceivePath::leave_ring(bool interrupted) {
    const uint32_t number = ifq_->number();
    // A page pool that still misses what lies in the refill ring looks again only after a second.
    // Kernels before 6.19 cannot be asked, and take that second.
    [[maybe_unused]] const Result<void> flushed = ifq_->flush();
    receiver_.reset();
    ring_.reset();
    ifq_.reset();  // its mapping of the refill ring keeps the ring alive
    scene_.trace().add(RingClosed{number, interrupted});
}

void ReceivePath::count_uncounted() {
    if (!scene_.counts_always() || options_.uncounted) return;
    if (receiver_->total_bytes() == bytes_counted_) return;
    wind_up();
    // What waits in a socket is not to be had.
    peers_.clear();
    receiver_->sockets_closed();
    receiver_->on_data = {};
    measure_capacity();
}

void ReceivePath::wind_up() {
    const RunEnd end = scene_.must(receiver_->wind_up(scene_.time_left()));
    if (gave_up(end)) give_up("A cancelled request did not end", ComplaintKind::kTimedOut);
}

TcpOptions ReceivePath::tcp_options(const StreamPlan& plan) {
    const Endpoints& ends = scene_.endpoints();
    TcpOptions options = plan.tcp;
    options.family = plan.family;
    if (options.local.empty()) options.local = plan.family == 4 ? ends.local_v4 : ends.local_v6;
    if (options.peer.empty()) options.peer = plan.family == 4 ? ends.peer_v4 : ends.peer_v6;
    options.peer_namespace = ends.peer_namespace;
    options.timeout = scene_.time_to_connect();
    return options;
}

// What follows a hole waits in buffers of the area. When it has all of them, none is left for the
// segment that would close the hole (finding hole-behind-full-area): a driver that replaces each
// buffer before it delivers it drops that segment for ever.
void ReceivePath::bound_unread(int socket) {
    if (kept_by_driver_ == 0) return;
    const size_t kept = kept_by_driver_ * kPageSize;
    const size_t free = options_.ifq.area_size - std::min(options_.ifq.area_size, kept);
    // The kernel doubles it, and counts whole buffers.
    const int room = static_cast<int>(std::max(free / 4, kLeastUnread));
    scene_.must(set_receive_buffer(socket, room));
}

TcpListener& ReceivePath::listener(const StreamPlan& plan) {
    const auto found = listeners_.find(plan.family);
    if (found != listeners_.end()) return found->second;
    TcpListener made = scene_.must(tcp_listen(tcp_options(plan)));
    if (on_device() && options_.steer) {
        FlowRule rule;
        rule.family = plan.family;
        rule.destination_port = made.port;
        rule.queue = queue_;
        scene_.steer(rule);
    }
    return listeners_.emplace(plan.family, std::move(made)).first->second;
}

uint32_t ReceivePath::connect(const StreamPlan& plan) {
    const uint32_t stream = scene_.next_stream();
    const uint64_t seed = scene_.seed(stream);
    TcpListener& from = listener(plan);
    const std::optional<uint64_t> before = not_left();
    Result<TcpPair> opened = open_stream(from, tcp_options(plan), stream, seed, scene_.trace());
    if (!opened && opened.error().code == ETIMEDOUT) {
        ComplaintFacts facts{.kind = ComplaintKind::kNotConnected,
                             .posted = device_buffers().posted};
        if (const auto now = not_left(); now && before)
            facts.not_left = static_cast<int64_t>(*now - *before);
        const std::string times = facts.not_left ? "; TCP did not send again " +
                                                       std::to_string(*facts.not_left) +
                                                       " times, since the packet had not left yet"
                                                 : "";
        scene_.give_up(opened.error().sentence + times, facts);
    }
    TcpPair pair = scene_.must(std::move(opened));
    if (!plan.tcp.receive_buffer) bound_unread(pair.receiver.get());
    if (plan.armed) {
        scene_.must(receiver_->add(stream, pair.receiver.get(), *ifq_, seed));
        // It waits before the first byte comes: how it meets data that is there is another
        // question.
        scene_.must(ring_->submit());
    }
    if (plan.prepare) plan.prepare(pair.peer.get());

    PeerPlan sending;
    sending.stream = stream;
    sending.seed = seed;
    sending.total = plan.bytes;
    sending.chunks = plan.chunks;
    sending.rate = plan.rate;
    sending.end = plan.end;
    sending.damage = plan.damage;
    Connection& connection = peers_[stream];
    connection.receiver = std::move(pair.receiver);
    connection.peer =
        std::make_unique<Peer>(std::move(pair.peer), std::move(sending), scene_.trace());
    return stream;
}

// What TCP at the peer counts each time that it would send a packet again, and finds that the first
// one is still in this machine.
std::optional<uint64_t> ReceivePath::not_left() {
    if (!on_device()) return std::nullopt;
    const Result<uint64_t> count =
        tcp_counter("TCPSpuriousRtxHostQueues", scene_.endpoints().peer_namespace);
    return count ? std::optional(*count) : std::nullopt;
}

void ReceivePath::arm(uint32_t stream) {
    scene_.must(receiver_->add(stream, socket(stream), *ifq_, seed(stream)));
    scene_.must(ring_->submit());
}

void ReceivePath::make_room(uint32_t stream) {
    scene_.must(set_receive_buffer(socket(stream), 4 << 20));
}

void ReceivePath::wait_for_queued(uint32_t stream, uint64_t bytes) {
    make_room(stream);
    int queued = 0;
    const auto there = [&] {
        queued = bytes_queued(socket(stream));
        return queued < 0 || static_cast<uint64_t>(queued) >= bytes;
    };
    if (scene_.becomes(there) && queued >= 0) return;
    scene_.give_up("Only " + std::to_string(queued) + " of " + std::to_string(bytes) +
                   " bytes of stream " + std::to_string(stream) + " came to its socket in time.");
}

void ReceivePath::receive_all() {
    const RunEnd end = scene_.must(receiver_->run(scene_.time_left()));
    if (gave_up(end)) give_up("Not every stream ended", kind_of(end));
    for (auto& [stream, connection] : peers_) {
        // Nobody reads any more, so that the peer could wait for ever.
        const StreamState& state = receiver_->state(stream);
        if (!connection.peer->finished() && state.final_result != 0 &&
            state.final_result != -ECONNRESET) {
            scene_.give_up("Stream " + std::to_string(stream) + " ended with " +
                           result_name(state.final_result) + " after " +
                           std::to_string(state.bytes) + " bytes, and its peer still sends.");
        }
        scene_.must(connection.peer->wait());
    }
    receiver_->finish();
}

void ReceivePath::receive(uint64_t bytes) {
    const auto done = [&] {
        const std::vector<StreamState> states = receiver_->states();
        return receiver_->total_bytes() >= bytes || any_wrong_byte() ||
               std::all_of(states.begin(), states.end(), [](const auto& s) { return s.ended; });
    };
    const RunEnd end = scene_.must(receiver_->run(scene_.time_left(), done));
    if (receiver_->total_bytes() >= bytes) return;
    // Who got what belongs to another may wait for his own for ever.
    if (any_wrong_byte())
        leave("A stream has a byte that its peer did not send: " + progress(),
              {.kind = ComplaintKind::kWrongByte});
    give_up("Not received " + std::to_string(bytes) + " bytes", kind_of(end));
}

void ReceivePath::receive_until_end(uint32_t stream) {
    const StreamState& state = receiver_->state(stream);
    const RunEnd end = scene_.must(receiver_->run(scene_.time_left(), [&] { return state.ended; }));
    if (gave_up(end)) give_up("Stream " + std::to_string(stream) + " did not end", kind_of(end));
}

bool ReceivePath::any_wrong_byte() const {
    return std::ranges::any_of(receiver_->states(),
                               [](const StreamState& state) { return state.mismatches > 0; });
}

void ReceivePath::measure_capacity(const CapacityOptions& options) {
    StreamPlan plan;
    plan.tcp.soonest_retransmission = kSoonestOfCount;
    plan.tcp.gives_up = false;
    const uint32_t stream = scene_.next_stream();
    TcpPair pair = scene_.must(
        open_stream(listener(plan), tcp_options(plan), stream, seed(stream), scene_.trace()));
    if (auto failed = count_buffers(scene_, *receiver_, *ifq_, stream, std::move(pair), options))
        leave(failed->sentence, failed->facts);
    bytes_counted_ = receiver_->total_bytes();
}

void ReceivePath::return_at_once() {
    ReceiverOptions& options = receiver_->options();
    options.returns = ReturnPolicy::kAtOnce;
    options.limit = 0;
}

void ReceivePath::forget_held() {
    receiver_ = std::make_unique<Receiver>(*ring_, scene_.trace(), options_.receiver);
}

void ReceivePath::give_up(const std::string& sentence, ComplaintKind kind) {
    ComplaintFacts facts{.kind = kind};
    facts.buffers = static_cast<int64_t>(ifq_->buffers());
    facts.held = static_cast<int64_t>(receiver_->held());
    int waiting = -1;
    for (const StreamState& state : receiver_->states()) {
        if (state.ended) continue;
        waiting = state.socket;
        facts.received = static_cast<int64_t>(state.bytes);
        if (const auto peer = peers_.find(state.stream); peer != peers_.end())
            facts.sent = static_cast<int64_t>(peer->second.peer->sent());
        facts.data_waits = state.armed && bytes_queued(state.socket) > 0;
        facts.socket = state_of_socket(state.socket);
        break;
    }
    // To poll is to change what is seen: it comes last.
    const std::string streams = progress();
    const QueueBuffers device = waiting >= 0 && on_device()
                                    ? buffers_when_polled(scene_, queue_, waiting)
                                    : device_buffers();
    device.add_to(facts);
    const std::string driver = driver_buffers(facts);
    leave(sentence + and_why(kind) + streams + device.text() + driver, facts);
}

std::string ReceivePath::driver_buffers(ComplaintFacts& facts) const {
    // Of an interface that has gone nobody can be asked.
    if (kept_by_driver_ == 0 || !Netdev::open(scene_.endpoints().interface)) return {};
    const uint64_t now = packets_without_replacement(scene_, queue_);
    // A driver may count from 0 again when the queue is started.
    facts.not_replaced = static_cast<int64_t>(now < not_replaced_ ? now : now - not_replaced_);
    std::string text = "; the driver dropped " + std::to_string(*facts.not_replaced) +
                       " packets for want of another buffer";
    if (const auto in_flight = buffers_in_flight(scene_, queue_)) {
        facts.in_flight = static_cast<int64_t>(*in_flight);
        text += ", and its page pool has given away " + std::to_string(*in_flight) + " of " +
                std::to_string(ifq_->buffers());
    }
    return text;
}

void ReceivePath::leave(const std::string& sentence, const ComplaintFacts& facts) {
    // That the streams are not whole is what the sentence says.
    receiver_->finish(false);
    count_->record();
    if (!ifq_->nodev()) scene_.trace().add(CopiesNotTold{ifq_->number(), CopiesUnknown::kGaveUp});
    // A queue that is silent takes no answer to a FIN either, and what waits behind a hole would
    // stay for as long as TCP asks again (teardown.hole_in_closed_socket).
    const linger at_once{1, 0};
    for (const auto& [stream, connection] : peers_)
        ::setsockopt(connection.receiver.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    scene_.give_up(sentence, facts);
}

QueueBuffers ReceivePath::device_buffers() const {
    return on_device() ? buffers_of_queue(scene_, queue_) : QueueBuffers{};
}

std::string ReceivePath::buffers_of_device() const {
    return device_buffers().text();
}

std::string ReceivePath::socket_state(uint32_t stream) const {
    return zcrxlab::socket_state(socket(stream));
}

std::string ReceivePath::progress() const {
    std::string text;
    for (const StreamState& state : receiver_->states()) {
        if (state.ended) continue;
        const auto peer = peers_.find(state.stream);
        // Of a stream that is not of this rx's making nobody knows here what was sent.
        const auto sent =
            peer == peers_.end() ? std::nullopt : std::optional(peer->second.peer->sent());
        text += (text.empty() ? "" : "; ") + progress_of(state, sent);
    }
    return text + "; " + std::to_string(receiver_->held()) + " buffers held";
}

}  // namespace zcrxlab
