// Chapter steering: flow rules, RSS, and what must not be changed while a queue is bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "harness/base/errno_name.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::steering {
namespace {

constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kQueue = 1;
const Needs kRules{.where = Where::kDevice, .dma_log = true, .flow_rules = true, .queues = 1};

// A rule that can be taken out before the scenario ends.
class Rule {
  public:
    Rule(Scene& scene, const FlowRule& rule) : scene_(scene) {
        scene.must(scene.nic().set_feature("rx-ntuple-filter", true));
        location_ = scene.must(scene.nic().steering().add_rule(rule));
        scene.undo_later("flow rule", [&nic = scene.nic(), at = location_]() -> Result<void> {
            auto there = nic.steering().locations();
            if (!there) return there.error();
            if (std::find(there->begin(), there->end(), at) == there->end()) return {};
            return nic.steering().remove_rule(at);
        });
    }
    void remove() { scene_.must(scene_.nic().steering().remove_rule(location_)); }

  private:
    Scene& scene_;
    uint32_t location_ = 0;
};

FlowRule rule_for(Scene& scene, const ReceivePath& rx, uint32_t stream, uint32_t queue = kQueue) {
    FlowRule rule;
    rule.destination_port = local_port(scene, rx.socket(stream));
    rule.queue = queue;
    return rule;
}

// ---- rules

// Parts of a rule, each that of the connection unless it is to miss.
struct Parts {
    const char* name;
    std::string_view claims;
    uint8_t family;
    bool addresses, source_port, destination_port;
    bool misses = false;  // its last part is another connection's
};
constexpr Parts kParts[] = {
    {"tcp4_port", "steering.rule-tcp4", 4, false, false, true},
    {"tcp4_source_port", "steering.rule-tcp4", 4, false, true, false},
    {"tcp4_addresses", "steering.rule-tcp4", 4, true, false, false},
    {"tcp4_everything", "steering.rule-tcp4", 4, true, true, true},
    {"tcp4_other_port", "steering.rule-tcp4", 4, true, true, true, true},
    {"tcp4_other_address", "steering.rule-tcp4", 4, true, false, false, true},
    {"tcp6_port", "steering.rule-tcp6", 6, false, false, true},
    {"tcp6_source_port", "steering.rule-tcp6", 6, false, true, false},
    {"tcp6_addresses", "steering.rule-tcp6", 6, true, false, false},
    {"tcp6_everything", "steering.rule-tcp6", 6, true, true, true},
    {"tcp6_other_port", "steering.rule-tcp6", 6, true, true, true, true},
    {"tcp6_other_address", "steering.rule-tcp6", 6, true, false, false, true},
};

SCENARIO_TABLE(steering, rule, "a rule brings exactly the connections that it names to the queue",
               kRules, kParts, row) {
    constexpr uint64_t kBytes = 200000;
    ReceivePath rx(scene, {.queue = kQueue, .steer = false});
    const uint32_t stream = rx.connect({.bytes = 0, .family = row.family, .end = PeerEnd::kIdle});
    const Endpoints& ends = scene.endpoints();
    FlowRule rule;
    rule.family = row.family;
    rule.queue = kQueue;
    if (row.addresses) {
        rule.source = row.family == 4 ? ends.peer_v4 : ends.peer_v6;
        rule.destination = row.family == 4 ? ends.local_v4 : ends.local_v6;
    }
    if (row.source_port) rule.source_port = peer_port(scene, rx.socket(stream));
    if (row.destination_port)
        rule.destination_port =
            static_cast<uint16_t>(local_port(scene, rx.socket(stream)) + (row.misses ? 1 : 0));
    if (row.misses && !row.destination_port) rule.destination = rule.source;
    const Rule there(scene, rule);
    rx.peer(stream).send_more(kBytes);
    rx.receive(kBytes);
    const Placement placed = placement_of(scene, rx.socket(stream), kBytes);
    EXPECT_EQ(placed.split_on(row.misses ? 0 : kQueue), kBytes);
    scene.trace().add(CopiesExpected{rx.ifq().number(), row.misses ? kBytes : 0});
    rx.abandon();
}

SCENARIO(steering, rule_removed, "a rule that goes in mid-stream costs no byte; the rest is copied",
         Terms(kRules).claims({"steering.rule-removed"})) {
    constexpr uint64_t kBytes = 2 * kMiB;
    ReceivePath rx(scene, {.queue = kQueue, .steer = false});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    Rule rule(scene, rule_for(scene, rx, stream));
    rx.peer(stream).send_more(kMiB);
    rx.receive(kMiB / 2);
    rule.remove();
    rx.peer(stream).send_more(kMiB);
    rx.receive(kBytes);
    const Placement placed = placement_of(scene, rx.socket(stream), kBytes);
    EXPECT_GE(placed.split_on(kQueue), kMiB / 2);
    EXPECT_GE(placed.split_on(0), kMiB);
    scene.trace().add(placed.copies_for(rx.ifq().number(), kQueue));
    rx.abandon();
}

SCENARIO(steering, late_rule, "a rule that comes in mid-stream ends the copying from there on",
         kRules) {
    constexpr uint64_t kBytes = 2 * kMiB;
    ReceivePath rx(scene, {.queue = kQueue, .steer = false});
    const uint32_t stream = rx.connect({.bytes = kMiB, .end = PeerEnd::kIdle});
    rx.receive(kMiB);
    const Rule rule(scene, rule_for(scene, rx, stream));
    rx.peer(stream).send_more(kMiB);
    rx.receive(kBytes);
    const Placement placed = placement_of(scene, rx.socket(stream), kBytes);
    EXPECT_EQ(placed.split_on(0), kMiB);
    EXPECT_EQ(placed.split_on(kQueue), kMiB);
    scene.trace().add(CopiesExpected{rx.ifq().number(), kMiB});
    rx.abandon();
}

SCENARIO(
    steering, rule_moved,
    "a rule that moves to the queue of another ring ends the request with -EFAULT at the first "
    "byte from there, and that ring goes on with it",
    Terms(Needs{.where = Where::kDevice, .flow_rules = true, .queues = 2})
        .claims({"cqe32.final-foreign-fragment"})) {
    ReceivePath first(scene, {.steer = false});
    ReceivePath second(scene);
    second.connect({.bytes = 100000, .end = PeerEnd::kIdle});
    second.receive(100000);
    const uint32_t stream = first.connect({.bytes = 0, .end = PeerEnd::kIdle});
    Rule rule(scene, rule_for(scene, first, stream, first.queue()));
    first.peer(stream).send_more(kMiB);
    first.receive(kMiB);
    rule.remove();
    scene.trace().add(EndMeant{stream, -EFAULT, "its packets go to the queue of another ring"});
    const Rule moved(scene, rule_for(scene, first, stream, second.queue()));
    first.peer(stream).send_more(kMiB);
    const StreamState& state = first.receiver().state(stream);
    scene.must(first.receiver().run(scene.time_left(), [&] { return state.ended; }));
    EXPECT_EQ(state.final_result, -EFAULT);
    EXPECT_EQ(state.bytes, kMiB);
    scene.must(second.receiver().add(stream, first.socket(stream), second.ifq(), first.seed(stream),
                                     state.bytes));
    second.receive(100000 + kMiB);
    second.abandon();
}

// ---- RSS

SCENARIO(steering, rss_off_queue, "RSS that is kept off a queue brings nothing there",
         Terms(Needs{.where = Where::kDevice,
                     .faults = true,
                     .flow_rules = true,
                     .two_families = true,
                     .queues = 1})
             .claims({"steering.rss-off-queue"})) {
    const std::string counter = "rx" + std::to_string(kQueue) + "_packets";
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t steered = rx.connect({.bytes = 1000, .end = PeerEnd::kIdle});
    rx.receive(1000);
    const auto before = device_counters(scene);
    for (const uint8_t family : {4, 6}) {
        for (int flow = 0; flow < 8; ++flow)
            EXPECT_EQ(exchange(scene, {.family = family, .bytes = 200, .count = 5}), "");
        const Endpoints& ends = scene.endpoints();
        const TcpOptions tcp = {.family = family,
                                .local = family == 4 ? ends.local_v4 : ends.local_v6,
                                .peer = family == 4 ? ends.peer_v4 : ends.peer_v6,
                                .peer_namespace = ends.peer_namespace};
        for (int flow = 0; flow < 8; ++flow) scene.must(tcp_pair(tcp));
    }
    auto after = device_counters(scene);
    EXPECT_EQ(after[counter], before.at(counter)) << "Queue 1 got what no rule sent there.";
    EXPECT_GE(after["rx_packets"], before.at("rx_packets") + 100);
    rx.peer(steered).send_more(1000);
    rx.receive(2000);
    after = device_counters(scene);
    EXPECT_GT(after[counter], before.at(counter)) << "The counter does not move at all.";
    rx.abandon();
}

// ---- what is refused while a queue is bound

// The errno (positive) of a change, 0 for success.
int code_of(const Result<void>& result) {
    return result ? 0 : result.error().code;
}

// What is promised of that many while queue 2 is bound. A change that is made is told by who makes
// it, one that is refused is not.
void set_queues(Scene& scene, uint32_t count, int promised) {
    const int seen = code_of(scene.nic().set_queues(count));
    scene.returned(std::to_string(count) + " channels, with queue 2 bound", promised, seen);
    if (seen != 0)
        scene.done("nic queues=" + std::to_string(count) +
                   " expect=" + (promised == 0 ? "success" : errno_name(promised)));
}

SCENARIO(steering, split_locked,
         "header split cannot be turned off while a queue is bound, and can afterwards",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"steering.split-locked"})) {
    {
        ReceivePath rx(scene, {.queue = kQueue});
        scene.returned("tcp-data-split off while a queue is bound", EINVAL,
                       code_of(scene.nic().disable_header_split()));
        scene.done("nic split=off expect=EINVAL");
        rx.connect({.bytes = 100000});
        rx.receive_all();
    }
    scene.wait_for_release(kQueue);
    scene.returned("tcp-data-split off when none is", 0,
                   code_of(scene.nic().disable_header_split()));
}

SCENARIO(steering, channels_locked,
         "channels cannot shrink below a bound queue, and one further above they can",
         Terms(Needs{.where = Where::kDevice, .queues = 2}).claims({"steering.channels-locked"})) {
    scene.must(scene.nic().set_queues(6));
    // No rule of its own: that would be a reason, too.
    ReceivePath rx(scene, {.queue = 2, .steer = false});
    set_queues(scene, 2, EINVAL);
    set_queues(scene, 1, EINVAL);
    set_queues(scene, 4, 0);
    EXPECT_TRUE(scene.must(scene.nic().netdev().receive_queue(2)).io_uring);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const Rule rule(scene, rule_for(scene, rx, stream, 2));
    rx.peer(stream).send_more(kMiB);
    rx.receive(kMiB);
    rx.abandon();
}

SCENARIO(steering, channels_exact, "exactly the queues up to the bound one may be kept",
         Terms(Needs{.where = Where::kDevice, .queues = 2}).claims({"steering.channels-exact"})) {
    scene.must(scene.nic().set_queues(6));
    const ReceivePath rx(scene, {.queue = 2, .steer = false});
    set_queues(scene, 3, 0);
}

// ---- RSS contexts

// An RSS context all of whose table is one queue.
class Context {
  public:
    Context(Scene& scene, uint32_t queue) : scene_(scene) {
        const size_t entries = scene.must(scene.nic().steering().rss()).table.size();
        const auto made =
            scene.nic().steering().add_rss_context(std::vector<uint32_t>(entries, queue));
        if (!made && made.error().code == EOPNOTSUPP) return;
        number_ = scene.must(made);
        scene.undo_later("RSS context",
                         [this_one = *number_, &nic = scene.nic()]() -> Result<void> {
                             auto done = nic.steering().remove_rss_context(this_one);
                             return !done && done.error().code == ENOENT ? Result<void>() : done;
                         });
    }
    // Empty where the driver has none.
    std::optional<uint32_t> number() const { return number_; }
    int remove() { return code_of(scene_.nic().steering().remove_rss_context(*number_)); }

  private:
    Scene& scene_;
    std::optional<uint32_t> number_;
};

constexpr const char* kNoContexts =
    "The driver has no RSS contexts; type: ethtool -X INTERFACE context new";

SCENARIO(steering, rss_context,
         "a rule that names an RSS context brings its connection to the bound queue of its table",
         Terms(kRules).claims({"steering.rss-context"})) {
    scene.prepare_nic();
    Context context(scene, kQueue);
    if (!context.number()) GTEST_SKIP() << kNoContexts;
    {
        ReceivePath rx(scene, {.queue = kQueue, .steer = false});
        const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
        FlowRule to_context = rule_for(scene, rx, stream);
        to_context.context = context.number();
        Rule rule(scene, to_context);
        scene.returned("removing an RSS context that a rule names", EBUSY, context.remove());
        rx.peer(stream).send_more(kMiB);
        rx.receive(kMiB);
        rule.remove();
        rx.abandon();
    }
    scene.wait_for_release(kQueue);
    scene.returned("removing an RSS context that no rule names", 0, context.remove());
}

SCENARIO(steering, rss_context_keeps_queues,
         "channels cannot shrink below a queue that an RSS context names, and can once it is gone",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true, .queues = 1})
             .claims({"steering.rss-context"})) {
    scene.must(scene.nic().set_queues(4));
    scene.must(scene.nic().spread_over_first(1));
    Context context(scene, 3);
    if (!context.number()) GTEST_SKIP() << kNoContexts;
    scene.returned("2 channels, with queue 3 in an RSS context", EINVAL,
                   code_of(scene.nic().set_queues(2)));
    scene.returned("removing the RSS context", 0, context.remove());
    scene.returned("2 channels, with no RSS context", 0, code_of(scene.nic().set_queues(2)));
}

}  // namespace
}  // namespace zcrxlab::steering
