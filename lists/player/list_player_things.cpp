// ListPlayer: makes rings, ifqs, boxes and streams, and closes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "harness/ring/deferred_packets.hpp"
#include "lists/player/list_player.hpp"
#include "lists/player/registration.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"

namespace zcrxlab {

namespace {

// A list that asks for a smaller CQ than the usual one means it to overflow.
constexpr uint64_t kUsualCq = 1024;

// 256 MiB, as memory_for() has it.
constexpr uint64_t kMostHugePages = 128;

uint32_t flags_for(const Action& action) {
    const std::string cqes = action.word("cqes");
    uint32_t flags = uapi::kSetupSingleIssuer;
    if (action.yes("defer")) flags |= uapi::kSetupDeferTaskrun;
    if (cqes == "32") flags |= uapi::kSetupCqe32;
    if (cqes == "mixed") flags |= uapi::kSetupCqeMixed;
    return flags;
}

}  // namespace

void ListPlayer::make_ring(const Action& action) {
    const RingOptions options{.sq_entries = static_cast<uint32_t>(action.number("sq")),
                              .cq_entries = static_cast<uint32_t>(action.number("cq")),
                              .flags = flags_for(action)};
    Result<Ring> made = Ring::create(options);
    if (!returned(action, made ? 0 : made.error().code, made ? "" : made.error().sentence)) return;
    auto ring = std::make_unique<PlayedRing>(std::move(*made));
    ring->thread = action.thread;
    ring->receiver = std::make_unique<Receiver>(
        ring->ring, scene_.trace(), ReceiverOptions{.small_cq = action.number("cq") < kUsualCq});
    const std::lock_guard lock(mutex_);
    rings_[action.name] = std::move(ring);
}

bool ListPlayer::on_device(const Action& registration) {
    return registration.yes("device") && scene_.has_device();
}

void ListPlayer::prepare_nic() {
    if (!split_off_) scene_.prepare_nic();
}

void ListPlayer::reserve_pages(const Action& action) {
    const std::string memory = action.word("memory");
    if (memory != "huge" && memory != "huge_memfd") return;
    const uint64_t pages = (action.number("area") + kHugePageSize - 1) / kHugePageSize;
    // What is more is refused for its size.
    if (pages <= kMostHugePages) reserve_until_end(scene_, std::max<uint64_t>(pages, 1));
}

void ListPlayer::make_ifq(const Action& action) {
    PlayedRing* of = ring(action.word("ring"));
    if (of == nullptr) return;
    const bool device = on_device(action);
    if (device) prepare_nic();
    auto made = std::make_unique<PlayedIfq>();
    made->ring = action.word("ring");
    if (device)
        made->queue = action.has("queue") ? static_cast<uint32_t>(action.number("queue"))
                                          : scene_.next_queue();
    reserve_pages(action);
    auto request = scene_.must(request_for(action, scene_.next_ifq(),
                                           device ? scene_.endpoints().interface : std::string(),
                                           made->queue));
    if (action.has("reg.arg") || action.has("reg.count")) {
        auto* argument = action.has("reg.arg")
                             ? reinterpret_cast<uapi::ZcrxIfqReg*>(action.number("reg.arg"))
                             : &request->registration;
        const auto count =
            action.has("reg.count") ? static_cast<uint32_t>(action.number("reg.count")) : 1;
        const int result = register_raw(of->ring, argument, count);
        returned(action, result < 0 ? -result : 0, "The kernel refused the registration.");
        return;
    }
    Result<std::unique_ptr<Ifq>> opened = Ifq::open(of->ring, std::move(request), &scene_.trace());
    if (!returned(action, opened ? 0 : opened.error().code, opened ? "" : opened.error().sentence))
        return;
    made->ifq = std::move(*opened);
    made->zcrx_id = made->ifq->zcrx_id();
    if (action.yes("copies"))
        scene_.trace().add(CopiesNotTold{made->ifq->number(), CopiesUnknown::kList});
    if (action.yes("dirty")) {
        EXPECT_EQ(made->ifq->refill().head(), 0U) << "The refill ring's head was not cleared.";
        EXPECT_EQ(made->ifq->refill().tail(), 0U) << "The refill ring's tail was not cleared.";
    }
    const std::lock_guard lock(mutex_);
    ifqs_[action.name] = std::move(made);
}

void ListPlayer::make_box(const Action& action) {
    PlayedIfq* of = ifq(action.word("ifq"));
    if (of == nullptr) return;
    Result<Fd> box = of->ifq->export_box();
    if (!returned(action, box ? 0 : box.error().code, box ? "" : box.error().sentence)) return;
    const std::lock_guard lock(mutex_);
    boxes_[action.name] = std::make_unique<Fd>(std::move(*box));
    // The import that follows gives the instance another name.
    ifqs_["box " + action.name] = std::make_unique<PlayedIfq>();
    ifqs_["box " + action.name]->ifq = of->ifq;
    ifqs_["box " + action.name]->queue = of->queue;
}

void ListPlayer::import_ifq(const Action& action) {
    PlayedRing* into = ring(action.word("ring"));
    Fd* box = find(boxes_, action.word("box"));
    if (into == nullptr || box == nullptr) return;
    const Result<uint32_t> id = import_box(into->ring, box->get());
    if (!returned(action, id ? 0 : id.error().code, id ? "" : id.error().sentence)) return;
    const std::lock_guard lock(mutex_);
    const PlayedIfq& exported = *ifqs_.at("box " + action.word("box"));
    auto made = std::make_unique<PlayedIfq>();
    made->ifq = exported.ifq;
    made->queue = exported.queue;
    made->ring = action.word("ring");
    made->zcrx_id = *id;
    tell_parent({.what = Told::What::kImported,
                 .ring = static_cast<uint32_t>(into->ring.fd()),
                 .ifq = exported.ifq->number()});
    ifqs_[action.name] = std::move(made);
}

void ListPlayer::add_area(const Action& action) {
    PlayedIfq* to = ifq(action.name);
    if (to == nullptr) return;
    reserve_pages(action);
    const Result<uint32_t> id = to->ifq->add_area(scene_.must(memory_for(action)));
    returned(action, id ? 0 : id.error().code, id ? "" : id.error().sentence);
}

TcpOptions ListPlayer::ends_of(const PlayedIfq& of, uint64_t family, const std::string& route) {
    TcpOptions options;
    options.family = static_cast<uint8_t>(family);
    if (of.ifq->nodev() || route == "loopback") {
        options.local = options.peer = family == 4 ? "127.0.0.1" : "::1";
        return options;
    }
    const Endpoints& ends = scene_.endpoints();
    options.local = family == 4 ? ends.local_v4 : ends.local_v6;
    options.peer = family == 4 ? ends.peer_v4 : ends.peer_v6;
    options.peer_namespace = ends.peer_namespace;
    return options;
}

TcpListener& ListPlayer::listener(PlayedIfq& of, const TcpOptions& options,
                                  const std::string& route) {
    const std::string key = route + std::to_string(options.family);
    const auto found = of.listeners.find(key);
    if (found != of.listeners.end()) return found->second;
    TcpListener made = scene_.must(tcp_listen(options));
    if (!of.ifq->nodev() && route == "queue") {
        FlowRule rule;
        rule.family = options.family;
        rule.destination_port = made.port;
        rule.queue = of.queue;
        steer(rule);
    }
    return of.listeners.emplace(key, std::move(made)).first->second;
}

void ListPlayer::connect(const Action& action) {
    PlayedIfq* through = ifq(action.word("ifq"));
    if (through == nullptr) return;
    const std::string route = action.word("route");
    TcpOptions options = ends_of(*through, action.number("family") == 6 ? 6 : 4, route);
    if (action.number("mss") != 0) options.mss = static_cast<uint32_t>(action.number("mss"));
    if (action.number("receive_buffer") != 0)
        options.receive_buffer = static_cast<int>(action.number("receive_buffer"));
    if (action.number("send_buffer") != 0)
        options.send_buffer = static_cast<int>(action.number("send_buffer"));
    auto made = std::make_unique<PlayedStream>();
    made->ifq = action.word("ifq");
    made->number = scene_.next_stream();
    made->seed = scene_.seed(made->number);
    TcpPair pair = scene_.must(open_stream(listener(*through, options, route), options,
                                           made->number, made->seed, scene_.trace()));
    made->socket = std::move(pair.receiver);
    PeerPlan plan;
    plan.stream = made->number;
    plan.seed = made->seed;
    plan.end = PeerEnd::kIdle;
    made->peer = std::make_unique<Peer>(std::move(pair.peer), std::move(plan), scene_.trace());
    const std::lock_guard lock(mutex_);
    streams_[action.name] = std::move(made);
}

void ListPlayer::close(const Action& action) {
    close_ring(action.name, true);
}

void ListPlayer::close_ring(const std::string& name, bool as_told) {
    PlayedRing* closing = ring(name);
    if (closing == nullptr) return;
    // NOPs and strays that nobody has asked for.
    std::vector<std::shared_ptr<Ifq>> gone;
    std::set<uint32_t> queues;  // of the NIC
    std::set<uint32_t> numbers;
    {
        const std::lock_guard lock(mutex_);
        std::set<std::string> names;
        for (const auto& [ifq_name, ifq] : ifqs_)
            if (ifq->ring == name) names.insert(ifq_name);
        for (const auto& [stream_name, stream] : streams_)
            if (names.contains(stream->ifq))
                scene_.trace().add(StreamFinished{stream->number, stream->ended_well});
        std::erase_if(streams_, [&](const auto& s) { return names.contains(s.second->ifq); });
        for (const std::string& ifq_name : names) {
            gone.push_back(ifqs_.at(ifq_name)->ifq);
            numbers.insert(gone.back()->number());
            ifqs_.erase(ifq_name);
        }
        // What was exported goes on in the rings that have imported it.
        for (auto& [ifq_name, ifq] : ifqs_)
            if (std::ranges::find(gone, ifq->ifq) != gone.end() && !ifq->ring.empty())
                ifq->ifq->control_through(rings_.at(ifq->ring)->ring, ifq->zcrx_id);
        std::erase_if(gone, [&](const std::shared_ptr<Ifq>& ifq) {
            return std::ranges::any_of(ifqs_, [&](const auto& other) {
                return other.second->ifq == ifq && !other.second->ring.empty();
            });
        });
        for (const std::shared_ptr<Ifq>& ifq : gone)
            if (!ifq->nodev()) queues.insert(ifq->options().queue);
    }
    // A page pool that still misses what lies in the refill ring looks again only after a second.
    free_deferred_packets();
    for (const auto& ifq : gone) [[maybe_unused]] const Result<void> flushed = ifq->flush();
    await_nops(*closing);
    // A list that says when a ring is closed means the requests that are under way, too.
    const bool interrupted = as_told && closing->receiver->any_armed();
    if (interrupted) {
        closing->receiver->compare_held();
        interrupted_.insert(numbers.begin(), numbers.end());
    } else if (gave_up(scene_.must(closing->receiver->wind_up(scene_.time_left())))) {
        give_up("A cancelled request did not end in time.");
    }
    std::unique_ptr<PlayedRing> last;
    std::set<uint32_t> boxed;
    {
        const std::lock_guard lock(mutex_);
        last = std::move(rings_.at(name));
        rings_.erase(name);
        // The exporter's descriptor goes with the last ring that has the instance.
        for (const auto& ifq : gone) {
            std::vector<std::string> boxes;
            for (const auto& [box, exported] : ifqs_)
                if (exported->ifq == ifq) boxes.push_back(box);
            if (!boxes.empty()) boxed.insert(ifq->number());
            for (const std::string& box : boxes) {
                ifqs_.erase(box);
                boxes_.erase(box.substr(4));
            }
        }
    }
    const auto descriptor = static_cast<uint32_t>(last->ring.fd());
    last->receiver.reset();
    last.reset();
    for (auto& ifq : gone) {
        const uint32_t number = ifq->number();
        ifq.reset();  // its mapping of the refill ring keeps the ring alive
        if (inherited_.contains(number)) continue;
        // A child may have imported it, and then it lives on.
        if (boxed.contains(number) && !told_by_children_.empty()) {
            left_to_children_.emplace(number, descriptor);
        } else {
            scene_.trace().add(RingClosed{number, interrupted_.contains(number), descriptor});
            numbers.erase(number);
        }
    }
    for (const uint32_t number : numbers) {
        scene_.trace().add(RingClosed{number, interrupted, descriptor, true});
        tell_parent({.what = Told::What::kClosed, .ring = descriptor, .ifq = number});
    }
    // The kernel lets go of a queue later, and the next line may want it. A child keeps it.
    if (children_.empty() && !removal_ && !parent_)
        for (const uint32_t queue : queues) scene_.wait_for_release(queue);
}

void ListPlayer::close_rings_of(const std::string& thread) {
    std::vector<std::string> names;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, ring] : rings_)
            if (ring->thread == thread) names.push_back(name);
    }
    for (const std::string& name : names) close_ring(name, false);
}

}  // namespace zcrxlab
