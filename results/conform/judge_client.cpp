// The client compares what it gets by itself: here it is asked how it ended, and why it may have
// ended so.
#include "results/conform/judge_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/conform/stalling_bugs.hpp"

namespace zcrxlab {

namespace {

// Of a shell: what it was told to run is not executable, or not there.
constexpr int kNotExecutable = 126, kNotFound = 127;
// Bytes that a run may leave behind: a table that grows now and then, or a heap that grew by a
// step.
constexpr uint64_t kGrowthOfRun = 64 << 10;

bool could_not_start(const ClientRun& run) {
    return !run.signal && (run.exit == kNotExecutable || run.exit == kNotFound);
}

// Amid the first one the program is killed, in some situations.
std::span<const ClientRun> runs_that_count(const ConformRound& round) {
    const std::span<const ClientRun> runs(round.peer->clients);
    return round.situation->kills_program && !runs.empty() ? runs.subspan(1) : runs;
}

std::string how_it_ended(const ClientRun& run) {
    std::string text =
        run.afterwards ? "Its client, which ran once more afterwards, " : "Its client ";
    if (run.overdue) return text + "had not ended in the time of --client-timeout";
    if (run.signal) return text + fmt::format("was killed by signal {}", *run.signal);
    return text + fmt::format("ended with exit code {}", run.exit);
}

// Whether the program let a stream be when one of its requests had ended so. Of one that is gone
// nobody knows what it would have done.
bool left_one_at(int code, const ConformRound& round) {
    return !round.program.by_itself &&
           std::ranges::any_of(round.kernel.requests, [&](const auto& stream) {
               return stream.second.none_afterwards && stream.second.ended_by.contains(-code);
           });
}

// Why the client was not content, by what the kernel said to the program meanwhile.
Mistake why_not_content(const ConformRound& round, const ClientRun& run) {
    const std::string did = how_it_ended(run);
    if (round.program.by_itself && round.program.exit == 0 && !round.program.signal)
        return {did + ", and the program had ended before, with exit code 0.", "",
                "Go on accepting when a connection is over, until you are told to end."};
    if (left_one_at(ENOSPC, round))
        return {did + ", and the program armed no request after one had ended with -ENOSPC.",
                "cqe32.final-cq-full",
                "-ENOSPC is not the end of the stream: reap the CQ, and arm the request again. So "
                "it is with -ENOMEM."};
    if (left_one_at(ENOMEM, round))
        return {did + ", and the program armed no request after one had ended with -ENOMEM.",
                "exhaustion.enomem",
                "-ENOMEM is not the end of the stream: give buffers back, and arm the request "
                "again."};
    return {did + ".", "cqe32.stream-order",
            "Look at what it says in peer.log. A piece can begin and end anywhere in your "
            "messages: read each at the offset of its CQE, `res` bytes long, in the order of the "
            "CQEs, and arm a request again after each CQE without IORING_CQE_F_MORE until its "
            "result is 0."};
}

void judge_growth_of_runs(const Growth& growth, Mistakes& mistakes) {
    const uint64_t memory =
        growth.memory_after - std::min(growth.memory_after, growth.memory_before);
    const uint64_t files = growth.files_after - std::min(growth.files_after, growth.files_before);
    if (growth.connections == 0) return;
    if (memory > growth.connections * kGrowthOfRun)
        mistakes.push_back({fmt::format("In {} runs of its client its memory grew by {} bytes.",
                                        growth.connections, memory),
                            "", "Free what belongs to a connection when its last CQE has come."});
    if (files * 2 > growth.connections)
        mistakes.push_back({fmt::format("After {} runs of its client it had {} more files open.",
                                        growth.connections, files),
                            "cqe32.final-eof",
                            "Close the socket when a final CQE has the result 0."});
}

}  // namespace

std::optional<ConformVerdict> client_unknown(const ConformRound& round) {
    const auto runs = runs_that_count(round);
    if (runs.empty())
        return ConformVerdict{TestStatus::kBlocked, "The peer did not tell how the client ended."};
    const auto found = std::ranges::find_if(runs, could_not_start);
    if (found == runs.end()) return std::nullopt;
    return ConformVerdict{
        TestStatus::kBlocked,
        fmt::format("The client could not be started: exit code {}; peer.log says why.",
                    found->exit)};
}

std::string judge_client(const ConformRound& round, Mistakes& mistakes) {
    const auto runs = runs_that_count(round);
    const auto bad =
        std::ranges::find_if(runs, [](const ClientRun& run) { return !run.went_well(); });
    const StallingBug* const bug = stalling_bug_met(round.stalling_bugs, round.kernel);
    std::string stalled;
    if (bad != runs.end() && bug != nullptr && !round.program.by_itself &&
        !left_one_at(ENOSPC, round) && !left_one_at(ENOMEM, round))
        stalled = fmt::format("{}. {} So nothing follows for the program.", how_it_ended(*bad),
                              in_words(*bug));
    else if (bad != runs.end())
        mistakes.push_back(why_not_content(round, *bad));
    if (round.kernel.bytes == 0)
        mistakes.push_back({"Nothing at all was received by zero-copy receive.", "cqe32.data-flags",
                            "Submit RECV_ZC for each connection that is accepted, and let the "
                            "client come to --port."});
    if (round.peer->left_open != 0)
        mistakes.push_back(
            {fmt::format("It left {} connections open whose client had ended them 10 s before.",
                         round.peer->left_open),
             "cqe32.final-eof", "Close the socket when a final CQE has the result 0."});
    if (round.peer->growth) judge_growth_of_runs(*round.peer->growth, mistakes);
    return stalled;
}

std::optional<ConformVerdict> client_sent_too_little(const ConformRound& round) {
    const PeerAccount& peer = *round.peer;
    const auto blocked = [](const std::string& why) {
        return ConformVerdict{TestStatus::kBlocked, why};
    };
    const auto skipped = [](const std::string& why) {
        return ConformVerdict{TestStatus::kSkipped, why};
    };
    if (peer.idle_rules != 0)
        return blocked(
            fmt::format("Its client sent too few packets for {} of the mistakes that "
                        "the NIC was to make.",
                        peer.idle_rules));
    if (peer.client_was_done)
        return blocked(
            "Its client was done before anything could happen amid its packets; let it "
            "send more.");
    if (round.situation->closes_window && peer.held_back == 0)
        return skipped("Its client had sent all before the window was closed.");
    if (!round.situation->fills_cq || round.kernel.cq_full != 0 ||
        round.kernel.errors.contains(-ENOSPC))
        return std::nullopt;
    uint64_t entries = 0;
    for (const QueueFacts& queue : round.kernel.queues)
        entries = std::max(entries, queue.cq_entries.value_or(0));
    const uint64_t packets = peer.packets_meanwhile.value_or(0);
    if (packets >= entries) return std::nullopt;
    return skipped(
        fmt::format("While the program stood still its client sent {} packets, and its "
                    "CQ has room for {}.",
                    packets, entries));
}

}  // namespace zcrxlab
