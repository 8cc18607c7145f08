// Chapter soak: random connections, sizes, holds and faults, for as long as one likes.
//
// It comes in parts of a few seconds, each with a process, an oracle and a teardown of its own, so
// that hours leave no trace that is too long to judge, and the part that fails can be run alone.
// Everything random follows from the seed of the run and the number of the part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/base/environment.hpp"
#include "scenarios/framework/parallel.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::soak {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kPart = 5s;
constexpr auto kRoundBound = 40s;  // all streams of a round
constexpr unsigned kDefaultSeconds = 60;
constexpr uint64_t kSmallestLimit = 4001;  // a request for a few bytes each would take for ever
constexpr unsigned kMostParts = 100000;

struct Part {
    std::string name;
};

// ZCRXLAB_SOAK_SECONDS says how long all of them take together.
std::vector<Part> parts() {
    const char* text = std::getenv(environment::kSoakSeconds);
    const unsigned long seconds = text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
    const auto count = std::clamp<unsigned long>(
        (seconds != 0 ? seconds : kDefaultSeconds) / static_cast<unsigned>(kPart.count()), 1,
        kMostParts);
    std::vector<Part> list;
    for (unsigned long number = 1; number <= count; ++number) {
        const std::string digits = std::to_string(number);
        const size_t zeros = digits.size() < 5 ? 5 - digits.size() : 0;
        list.push_back({"part_" + std::string(zeros, '0') + digits});
    }
    return list;
}
const std::vector<Part> kParts = parts();

class Dice {
  public:
    explicit Dice(uint64_t seed) : random_(seed) {}
    uint64_t between(uint64_t low, uint64_t high) { return low + random_() % (high - low + 1); }
    bool one_in(uint64_t n) { return random_() % n == 0; }
    // As many small ones as large ones, by powers of two.
    uint64_t up_to(uint64_t high) {
        uint64_t bits = 0;
        while (high >> (bits + 1) != 0) ++bits;
        const uint64_t low = uint64_t{1} << between(0, bits);
        return std::min(between(low, 2 * low - 1), high);
    }
    template <typename T, size_t N>
    const T& of(const T (&choices)[N]) {
        return choices[between(0, N - 1)];
    }

  private:
    std::mt19937_64 random_;
};

struct Fault {
    FaultKind what;
    bool copies;  // what it touches cannot stay where the NIC put it
};
constexpr Fault kFaults[] = {{FaultKind::kDrop, false},     {FaultKind::kDuplicate, false},
                             {FaultKind::kDelay, false},    {FaultKind::kReorder, false},
                             {FaultKind::kNoBuffer, false}, {FaultKind::kLoseInterrupt, false},
                             {FaultKind::kNoSplit, true},   {FaultKind::kSplitEarly, true},
                             {FaultKind::kSplitLate, true}, {FaultKind::kWrongQueue, true}};

// What a part has covered.
struct Coverage {
    uint64_t rounds = 0, connections = 0, bytes = 0, requests = 0, no_buffers = 0, no_slots = 0;
    uint64_t abandoned = 0, counted = 0;
    uint64_t most_held = 0;
    std::map<std::string, uint64_t> faults;  // rules
};

// ---- one round

struct Plan {
    ReceivePathOptions rx;
    std::vector<StreamPlan> streams;
    bool abandon = false;  // closed in the middle of one more stream
    bool count = false;    // every buffer is still there; needs a device without faults
    std::string words;
};

Plan plan_of(Dice& dice, uint32_t queue, bool copies) {
    Plan plan;
    const size_t pages = dice.between(1536, 4096);
    plan.rx.queue = queue;
    plan.rx.ifq.area_size = pages * kPageSize;
    plan.rx.ifq.zero_copy_expected = !copies;
    if (dice.one_in(3)) plan.rx.ring.cq_entries = 128U << dice.between(0, 3);
    constexpr ReturnPolicy kPolicies[] = {ReturnPolicy::kAtOnce, ReturnPolicy::kHold,
                                          ReturnPolicy::kReverse};
    plan.rx.receiver.returns = dice.of(kPolicies);
    // What the NIC's ring has cannot be held, and some has to be left.
    plan.rx.receiver.hold = static_cast<uint32_t>(dice.up_to((pages - 1024) / 3));
    if (dice.one_in(4))
        plan.rx.receiver.limit = static_cast<uint32_t>(kSmallestLimit + dice.up_to(1 << 20));
    const uint64_t connections = dice.up_to(16);
    for (uint64_t i = 0; i < connections; ++i) {
        StreamPlan stream;
        stream.bytes = dice.up_to(2 << 20);
        const uint64_t smallest = stream.bytes / 500 + 1;
        stream.chunks.clear();
        for (uint64_t n = dice.between(1, 4); n > 0; --n)
            stream.chunks.push_back(static_cast<uint32_t>(smallest + dice.up_to(65536)));
        stream.family = dice.one_in(2) ? 4 : 6;
        if (dice.one_in(3)) stream.tcp.mss = static_cast<uint32_t>(dice.between(536, 8900));
        plan.streams.push_back(std::move(stream));
    }
    plan.abandon = dice.one_in(4);
    plan.count = !plan.abandon && dice.one_in(4);
    if (!plan.count) plan.rx.uncounted = Uncounted::kNothingArrives;  // there may be faults
    plan.words = std::to_string(connections) + " connections, " + std::to_string(pages) +
                 " pages, hold " + std::to_string(plan.rx.receiver.hold) + " policy " +
                 std::to_string(static_cast<int>(plan.rx.receiver.returns)) + ", CQ " +
                 std::to_string(plan.rx.ring.cq_entries) + ", limit " +
                 std::to_string(plan.rx.receiver.limit) +
                 (plan.abandon ? ", closed in mid-stream" : "") + (plan.count ? ", counted" : "");
    return plan;
}

// Into the device until the round is over; whether one of them leads to copies.
bool inject(Scene& scene, Dice& dice, Coverage& coverage, std::string& words) {
    bool copies = false;
    if (!scene.has_device()) return copies;
    for (uint64_t n = dice.between(0, 3); n > 0; --n) {
        const Fault& fault = dice.of(kFaults);
        const uint64_t per_mille = dice.between(1, 20);
        scene.inject({.what = fault.what,
                      .match = {.protocol = FaultProtocol::kTcp,
                                .payload = true,
                                .probability = static_cast<double>(per_mille) / 1000,
                                .seed = dice.between(1, 1U << 30),
                                .count = 50}});
        copies = copies || fault.copies;
        const std::string name(fault_name(fault.what));
        ++coverage.faults[name];
        words += ", " + name + " " + std::to_string(per_mille) + "/1000";
    }
    return copies;
}

Coverage play(Scene& scene, const Plan& plan) {
    Coverage seen;
    ReceivePath rx(scene, plan.rx);
    if (!plan.rx.ifq.zero_copy_expected)
        scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kRandomFaults});
    for (const StreamPlan& stream : plan.streams) rx.connect(stream);
    const auto bound = std::min(scene.scaled(kRoundBound), scene.time_left());
    if (gave_up(scene.must(rx.receiver().run(bound))))
        scene.give_up("Not every stream ended in time in a round of " + plan.words + ".");
    rx.receive_all();
    for (const StreamState& state : rx.receiver().states()) {
        seen.requests += state.requests;
        seen.no_buffers += state.no_buffers;
        seen.no_slots += state.no_slots;
    }
    seen.bytes = rx.receiver().total_bytes();
    seen.connections = plan.streams.size();
    seen.most_held = rx.receiver().held();
    if (plan.count) {
        if (scene.has_device()) scene.must(scene.target().clear_faults());
        rx.measure_capacity();
        seen.counted = 1;
    }
    if (plan.abandon) {
        const uint32_t stream = rx.connect({.bytes = UINT64_MAX, .end = PeerEnd::kIdle});
        rx.receive(seen.bytes + (1 << 20));
        rx.peer(stream).stop();
        scene.trace().add(StreamFinished{stream, false});
        seen.abandoned = 1;
    }
    return seen;
}

void add(Coverage& to, const Coverage& more) {
    to.connections += more.connections;
    to.bytes += more.bytes;
    to.requests += more.requests;
    to.no_buffers += more.no_buffers;
    to.no_slots += more.no_slots;
    to.abandoned += more.abandoned;
    to.counted += more.counted;
    to.most_held = std::max(to.most_held, more.most_held);
}

void round(Scene& scene, Dice& dice, Coverage& coverage) {
    std::string words;
    const bool copies = inject(scene, dice, coverage, words);
    const unsigned receive_paths = dice.one_in(3) ? 2 : 1;
    std::vector<Plan> plans;
    for (unsigned i = 0; i < receive_paths; ++i) plans.push_back(plan_of(dice, i + 1, copies));
    // The other rx's faults would be gone, too.
    for (Plan& plan : plans) plan.count = plan.count && receive_paths == 1;
    for (const Plan& plan : plans)
        scene.note("round " + std::to_string(coverage.rounds + 1) + ": " + plan.words + words);
    std::vector<Coverage> seen(receive_paths);
    in_parallel(receive_paths, [&](unsigned i) { seen[i] = play(scene, plans[i]); });
    for (const Coverage& one : seen) add(coverage, one);
    ++coverage.rounds;
    if (!scene.has_device()) return;
    scene.must(scene.target().clear_faults());
    for (unsigned i = 0; i < receive_paths; ++i) scene.wait_for_release(i + 1);
    scene.read_dma_log();
}

void report(Scene& scene, const std::string& part, const Coverage& coverage) {
    std::string faults;
    for (const auto& [what, count] : coverage.faults)
        faults += (faults.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    const nlohmann::ordered_json row = {{"part", part},
                                        {"rounds", coverage.rounds},
                                        {"connections", coverage.connections},
                                        {"MiB", coverage.bytes >> 20},
                                        {"requests", coverage.requests},
                                        {"-ENOMEM", coverage.no_buffers},
                                        {"-ENOSPC", coverage.no_slots},
                                        {"most held", coverage.most_held},
                                        {"abandoned", coverage.abandoned},
                                        {"areas counted", coverage.counted},
                                        {"fault rules", faults.empty() ? "none" : faults}};
    const nlohmann::ordered_json table = {{"table", "What the soak covered"},
                                          {"rows", nlohmann::ordered_json::array({row})}};
    scene.measured(table.dump());
}

SCENARIO_TABLE(soak, random,
               "whatever connections, sizes, holds and faults come, every promise is kept",
               Terms(Needs{}).within(120s), kParts, row) {
    Dice dice(scene.seed());
    Coverage coverage;
    const auto end = Clock::now() + kPart;
    do {
        round(scene, dice, coverage);
    } while (Clock::now() < end);
    report(scene, row.name, coverage);
}

}  // namespace
}  // namespace zcrxlab::soak
