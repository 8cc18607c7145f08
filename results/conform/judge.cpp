// What is wrong is looked for in the order in which it explains what comes behind.
#include "results/conform/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/errno_name.hpp"
#include "harness/base/exit_code.hpp"
#include "results/conform/judge_client.hpp"
#include "results/conform/mistakes.hpp"
#include "results/conform/promises.hpp"

namespace zcrxlab {

namespace {

// So few pieces a program may hold to give them back together.
constexpr uint64_t kBatch = 64;

// A stream whose bytes are all to be taken: it did not end with a reset of the peer's.
bool is_whole(const Situation& situation, const PeerStream& stream) {
    if (stream.afterwards) return true;
    if (situation.kills_program || situation.crosses_queues) return false;
    return situation.end == StreamEnd::kFin || situation.end == StreamEnd::kFinWithData;
}

// Of a program whose queue was refused: it ends, and says so, or receives in the ordinary way.
ConformVerdict judge_refused(const ConformRound& round, Check check) {
    const ReceiverEnd& program = round.program;
    const bool taken = round.situation->refusal == Refusal::kQueueTaken;
    const std::string promise = taken ? fmt::format(" The kernel promises: {} ({}).",
                                                    text_of_promise("registration.provider-there"),
                                                    "registration.provider-there")
                                      : " A kernel before 6.15 answers -EINVAL.";
    const std::string change =
        " Look at the outcome of the registration: end with an exit code that is not 0 and a "
        "message, or receive by ordinary requests.";
    const auto red = [&](const std::string& did) {
        return ConformVerdict{TestStatus::kFailed, did + promise + change};
    };
    if (program.signal && program.by_itself)
        return red(
            fmt::format("Without its queue the program was killed by signal {}.", *program.signal));
    if (program.by_itself && program.exit == 0)
        return red("Without its queue the program ended with exit code 0, as if all was well.");
    if (program.by_itself && !round.peer) return {TestStatus::kPassed, ""};
    if (!program.listened)
        return red("Without its queue the program neither ended nor listened within 60 s.");
    // One that chooses its queue by itself may have found another one.
    if (round.kernel.bytes != 0)
        return {TestStatus::kBlocked, "It received by zero-copy receive, through another queue."};
    if (!round.peer) return {TestStatus::kBlocked, "The peer did not tell what it saw."};
    if (!round.peer->error.empty())
        return {TestStatus::kBlocked, "The situation could not be made: " + round.peer->error};
    if (round.with_client)
        if (const auto unknown = client_unknown(round)) return *unknown;
    const bool served = std::ranges::all_of(round.peer->clients, &ClientRun::went_well) &&
                        std::ranges::all_of(round.peer->streams, [&](const PeerStream& stream) {
                            return stream.end == SeenEnd::kClosed &&
                                   (check != Check::kEcho || stream.echoed == stream.sent) &&
                                   !stream.wrong;
                        });
    if (!served && !(program.by_itself && program.exit != 0))
        return red("Without its queue the program listens, but does not receive what is sent.");
    return {TestStatus::kPassed, ""};
}

uint64_t taken_of(const ReceiveFacts& kernel, const PeerStream& stream) {
    const auto found = kernel.by_stream.find(stream.port);
    return found == kernel.by_stream.end() ? 0 : found->second;
}

void judge_end(const ConformRound& round, Mistakes& mistakes) {
    const ReceiverEnd& program = round.program;
    if (program.signal && program.by_itself) {
        mistakes.push_back({fmt::format("The program was killed by signal {}.", *program.signal),
                            "", "Look at its output in program.log."});
    } else if (program.by_itself && program.exit != 0) {
        std::string why;
        for (const auto& [code, count] : round.kernel.registered)
            if (code != 0)
                why += fmt::format(" Registering a queue failed with -{}.", errno_name(-code));
        mistakes.push_back(
            {fmt::format("The program ended with exit code {}.{}", program.exit, why), "",
             "Look at its output in program.log."});
    } else if (program.by_itself && !program.listened) {
        mistakes.push_back({"The program ended without having listened on its port.", "",
                            "Give the port that it listens on as --port."});
    } else if (!program.listened) {
        mistakes.push_back({"The program did not listen on its port within 60 s.", "",
                            "Give the port that it listens on as --port, and let it listen on "
                            "all addresses."});
    }
}

void judge_refill(const ReceiveFacts& kernel, Mistakes& mistakes) {
    for (const QueueFacts& queue : kernel.queues) {
        if (queue.given_back && *queue.given_back > queue.pieces)
            mistakes.push_back(
                {fmt::format("It put {} entries into the refill ring for {} pieces that it had "
                             "received, so {} of them gave back what it did not hold.",
                             *queue.given_back, queue.pieces, *queue.given_back - queue.pieces),
                 "refill.invalid-ignored",
                 "Begin with an empty refill ring, and put in one entry for each CQE with a piece: "
                 "the kernel has all buffers of a new area already."});
        if (queue.unreadable && *queue.unreadable != 0)
            mistakes.push_back(
                {fmt::format("{} entries of the refill ring named an area or a buffer that is not "
                             "there.",
                             *queue.unreadable),
                 "refill.invalid-ignored",
                 "Make an entry of the CQE's offset and the area's token, with padding 0."});
        if (queue.most_in_ring && queue.ring_entries && *queue.most_in_ring > *queue.ring_entries)
            mistakes.push_back(
                {fmt::format("It had {} entries in a refill ring of {} at once, so {} of them "
                             "were overwritten before the kernel saw them.",
                             *queue.most_in_ring, *queue.ring_entries,
                             *queue.most_in_ring - *queue.ring_entries),
                 "refill.overfull",
                 "Compare tail - head with the number of entries before writing one, and keep what "
                 "finds no room."});
        const uint64_t kept =
            queue.given_back ? queue.pieces - std::min(queue.pieces, *queue.given_back) : 0;
        if (kept > kBatch && kept * 10 > queue.pieces)
            mistakes.push_back(
                {fmt::format("It never gave back {} of {} pieces.", kept, queue.pieces),
                 "refill.one-reference",
                 "Put an entry for each CQE with a piece into the refill ring once you are done "
                 "with it."});
    }
}

// Why a stream was not taken as a whole, by what the kernel said to the program meanwhile.
void judge_missing(const Situation& situation, const ReceiveFacts& kernel, const PeerStream& stream,
                   size_t others, Mistakes& mistakes) {
    const uint64_t taken = taken_of(kernel, stream);
    std::string did =
        fmt::format("Of {} bytes of {} it took {}", stream.sent,
                    stream.afterwards ? "a connection afterwards" : "a connection", taken);
    did += stream.end == SeenEnd::kReset || stream.end == SeenEnd::kShut
               ? ", and closed the connection before the rest"
           : stream.end == SeenEnd::kRefused ? ", since it refused the connection"
           : stream.end == SeenEnd::kClosed  ? ", and closed the connection"
                                             : ", and left the connection open";
    if (others != 0) did += fmt::format("; so it did with {} more", others);
    const bool gave_up = stream.end == SeenEnd::kReset || stream.end == SeenEnd::kShut ||
                         stream.end == SeenEnd::kClosed;
    StreamRequests requests;
    if (const auto found = kernel.requests.find(stream.port); found != kernel.requests.end())
        requests = found->second;
    const bool stopped = requests.ended_by.contains(-ENOSPC) && requests.none_afterwards;
    if (kernel.bytes == 0 && situation.bytes != 0) {
        mistakes.push_back({did + ": nothing at all was received by zero-copy receive.",
                            "cqe32.data-flags",
                            "Submit RECV_ZC for each connection that is accepted."});
    } else if (stopped && gave_up) {
        mistakes.push_back({did + ", as a request ended with -ENOSPC.", "cqe32.final-cq-full",
                            "-ENOSPC is not the end of the stream: reap the CQ, and arm the "
                            "request again. So it is with -ENOMEM."});
    } else if (stopped) {
        mistakes.push_back({did + ", and armed no request after one had ended with -ENOSPC.",
                            "cqe32.rearm",
                            "A CQE without IORING_CQE_F_MORE is the last of its request: arm it "
                            "again unless its result is 0 or tells of a dead connection."});
    } else if (requests.ended_by.contains(-ENOMEM)) {
        mistakes.push_back({did + ", after a request had ended with -ENOMEM.", "exhaustion.enomem",
                            "-ENOMEM is not the end of the stream: give buffers back, and arm the "
                            "request again."});
    } else {
        mistakes.push_back({did + ".", "cqe32.stream-order",
                            "Arm a request for each connection, and again after each CQE without "
                            "IORING_CQE_F_MORE until the stream has ended with a result of 0."});
    }
}

// Whether a stream stands still although the program is there, has not closed it, and has let no
// request of it be that ended.
bool waits(const ConformRound& round, const PeerStream& stream) {
    if (round.program.by_itself) return false;
    const auto found = round.kernel.requests.find(stream.port);
    if (found != round.kernel.requests.end() && found->second.none_afterwards) return false;
    return stream.end == SeenEnd::kOpen || stream.end == SeenEnd::kStuck ||
           stream.end == SeenEnd::kRefused;
}

// Why nothing follows from streams that stand still; empty if something does.
std::string stalled_by_kernel(const ConformRound& round,
                              const std::vector<const PeerStream*>& still) {
    const StallingBug* const bug = stalling_bug_met(round.stalling_bugs, round.kernel);
    if (still.empty() || bug == nullptr || round.kernel.bytes == 0 ||
        !std::ranges::all_of(still,
                             [&](const PeerStream* stream) { return waits(round, *stream); }))
        return "";
    return fmt::format("{} connections stand still. {} So nothing follows for the program.",
                       still.size(), in_words(*bug));
}

// Why nothing follows from streams that stand still; empty if something does.
std::string judge_streams(const ConformRound& round, Mistakes& mistakes) {
    const Situation& situation = *round.situation;
    const ReceiveFacts& kernel = round.kernel;
    std::vector<const PeerStream*> missing, open;
    for (const PeerStream& stream : round.peer->streams) {
        // Of a program that is killed the kernel ends the connections.
        const bool given_up = stream.end == SeenEnd::kRefused || stream.end == SeenEnd::kStuck ||
                              (stream.end == SeenEnd::kShut && !situation.kills_program);
        if (given_up || (is_whole(situation, stream) && taken_of(kernel, stream) < stream.sent)) {
            missing.push_back(&stream);
        } else if (stream.end == SeenEnd::kOpen) {
            open.push_back(&stream);
        }
    }
    std::vector<const PeerStream*> still = missing;
    still.insert(still.end(), open.begin(), open.end());
    if (std::string why = stalled_by_kernel(round, still); !why.empty()) return why;
    // What came first explains more than the connection afterwards.
    const ReceiverEnd& program = round.program;
    if (!missing.empty() && program.by_itself && program.exit == 0 && !program.signal)
        mistakes.push_back(
            {fmt::format("The program ended, with exit code 0, before its peer was done: of {} "
                         "bytes of {} it took {}.",
                         missing.front()->sent,
                         missing.front()->afterwards ? "a connection afterwards" : "a connection",
                         taken_of(kernel, *missing.front())),
             "", "Go on accepting when a connection is over, until you are told to end."});
    else if (!missing.empty())
        judge_missing(situation, kernel, *missing.front(), missing.size() - 1, mistakes);
    if (!open.empty())
        mistakes.push_back(
            {fmt::format("It left {} of {} connections open whose peer had closed 10 s before.",
                         open.size(), round.peer->streams.size()),
             "cqe32.final-eof", "Close the socket when a final CQE has the result 0."});
    return "";
}

void judge_bytes(const PeerAccount& peer, Mistakes& mistakes) {
    for (const PeerStream& stream : peer.streams) {
        if (stream.wrong) {
            const WrongByte& wrong = *stream.wrong;
            std::string how = "are not those that were sent";
            if (wrong.shift && *wrong.shift > 0)
                how = fmt::format("are those of {} bytes further on: so many were lost",
                                  *wrong.shift);
            if (wrong.shift && *wrong.shift < 0)
                how =
                    fmt::format("are those of {} bytes before: so many came twice", -*wrong.shift);
            mistakes.push_back(
                {fmt::format("What it sent back is wrong: from byte {} on its bytes {}.",
                             wrong.position, how),
                 "cqe32.stream-order",
                 "Read each piece at the offset of its CQE, `res` bytes long, in the order of the "
                 "CQEs, before giving it back."});
            return;
        }
        if (stream.echoed < stream.sent && stream.end == SeenEnd::kClosed) {
            mistakes.push_back(
                {fmt::format("It sent back {} of {} bytes.", stream.echoed, stream.sent),
                 "cqe32.stream-order",
                 "Send back all that was received before you close; or leave out "
                 "--check echo."});
            return;
        }
    }
}

void judge_hashes(const ConformRound& round, Mistakes& mistakes) {
    for (const PeerStream& stream : round.peer->streams) {
        if (!is_whole(*round.situation, stream) || stream.hash.empty()) continue;
        const bool printed = std::ranges::find(round.printed, stream.hash) != round.printed.end();
        if (stream.answered == stream.hash || (stream.answered.empty() && printed)) continue;
        std::string did = fmt::format(
            "Of a connection of {} bytes it neither answered nor printed "
            "the SHA-256, {}.",
            stream.sent, stream.hash);
        if (!stream.answered.empty())
            did = fmt::format("Of a connection of {} bytes it answered the SHA-256 {}, and not {}.",
                              stream.sent, stream.answered, stream.hash);
        else if (!round.printed.empty())
            did += fmt::format(" It printed {} others.", round.printed.size());
        mistakes.push_back({did, "cqe32.stream-order",
                            "Hash each piece at the offset of its CQE, `res` bytes long, in the "
                            "order of the CQEs, before giving it back. --check echo tells from "
                            "which byte on it is wrong."});
        return;
    }
}

// Less than this for each connection may be chance, or a table that grows now and then.
constexpr uint64_t kGrowthOfOne = 1024;

void judge_growth(const Growth& growth, Mistakes& mistakes) {
    const uint64_t memory =
        growth.memory_after - std::min(growth.memory_after, growth.memory_before);
    const uint64_t files = growth.files_after - std::min(growth.files_after, growth.files_before);
    if (growth.connections == 0) return;
    if (memory > growth.connections * kGrowthOfOne)
        mistakes.push_back(
            {fmt::format("In {} connections that came and went its memory grew by {} bytes.",
                         growth.connections, memory),
             "", "Free what belongs to a connection when its last CQE has come."});
    if (files * 2 > growth.connections)
        mistakes.push_back(
            {fmt::format("After {} connections that came and went it had {} more files open.",
                         growth.connections, files),
             "cqe32.final-eof", "Close the socket when a final CQE has the result 0."});
}

void judge_surroundings(const ConformRound& round, Mistakes& mistakes) {
    const ReceiveFacts& kernel = round.kernel;
    if (round.situation->must_not_starve)
        for (const QueueFacts& queue : kernel.queues)
            if (queue.starved != 0)
                mistakes.push_back(
                    {fmt::format("{} times there was no buffer for the NIC{}{}.", queue.starved,
                                 queue.area_buffers ? fmt::format(", of the {} buffers of its area",
                                                                  *queue.area_buffers)
                                                    : std::string(),
                                 queue.posted_at_opening
                                     ? fmt::format("; the driver had posted {} before any packet",
                                                   *queue.posted_at_opening)
                                     : std::string()),
                     "exhaustion.throttled",
                     "Make the area larger, or give buffers back earlier: the driver posts a "
                     "buffer for each place of its receive ring before anything comes, and what "
                     "waits in sockets holds more."});
    if (round.peer->growth && !round.with_client) judge_growth(*round.peer->growth, mistakes);
    const auto& silent = round.peer->silent_milliseconds;
    const auto& busy = round.peer->busy_milliseconds;
    if (silent && busy && *busy * 2 > *silent)
        mistakes.push_back({fmt::format("While its peer said nothing for {} ms, it had a processor "
                                        "for {} ms.",
                                        *silent, *busy),
                            "", "Wait in io_uring_enter() for a CQE instead of asking for one."});
    if (kernel.left != 0)
        mistakes.push_back(
            {fmt::format("{} queues were still taken 2.5 s after its end.", kernel.left),
             "teardown.kill", "Look for a process that has inherited the ring, and lives on."});
}

// What nothing is known of, so that it may be wrong; empty if all is known.
std::string unknown_of(const Situation& situation, const ReceiveFacts& kernel) {
    for (const QueueFacts& queue : kernel.queues) {
        if (!queue.given_back) return "how much it gave back";
        if (situation.needs_entries && !queue.unreadable && !queue.flushes)
            return "what it gave back";
        if (!queue.most_in_ring || !queue.ring_entries) return "how full its refill ring was";
    }
    return "";
}

// Why the area was not empty, as it was to be.
std::optional<ConformVerdict> area_not_empty(const ConformRound& round) {
    const Situation& situation = *round.situation;
    uint64_t starved = 0, buffers = 0;
    for (const QueueFacts& queue : round.kernel.queues) {
        starved += queue.starved;
        buffers = std::max(buffers, queue.area_buffers.value_or(0));
    }
    if (starved != 0) return std::nullopt;
    const uint64_t packets = round.with_client
                                 ? round.peer->packets_meanwhile.value_or(0)
                                 : situation.connections * (situation.bytes / situation.write);
    if (buffers > packets)
        return ConformVerdict{
            TestStatus::kSkipped,
            fmt::format("The program's area of {} buffers has one for each of the {} packets.",
                        buffers, packets)};
    return ConformVerdict{
        TestStatus::kBlocked,
        fmt::format("The program's area of {} buffers never got empty.",
                    buffers == 0 ? "an unknown number" : std::to_string(buffers))};
}

// The situation was not what it is called, so that nothing follows from it.
std::optional<ConformVerdict> not_made(const ConformRound& round) {
    const ReceiveFacts& kernel = round.kernel;
    const Situation& situation = *round.situation;
    if (situation.queues > round.queues)
        return ConformVerdict{TestStatus::kSkipped,
                              fmt::format("The program was given {} queues; for {} give --queues "
                                          "{}.",
                                          round.queues, situation.queues, situation.queues)};
    if (situation.crosses_queues && !kernel.errors.contains(-EFAULT))
        return ConformVerdict{TestStatus::kBlocked,
                              "No data came to a ring from another one's queue."};
    if (situation.must_be_copied && kernel.copied == 0)
        return ConformVerdict{TestStatus::kBlocked, "The kernel has copied nothing."};
    if (situation.closes_window && round.peer->held_back == 0)
        return ConformVerdict{TestStatus::kBlocked, "The peer could send all at once."};
    if (situation.one_by_one != 0 && !round.peer->growth)
        return ConformVerdict{TestStatus::kBlocked, "What the program has in memory is not known."};
    if (situation.empties_area) return area_not_empty(round);
    if (!situation.fills_cq || kernel.cq_full != 0 || kernel.errors.contains(-ENOSPC))
        return std::nullopt;
    std::optional<uint64_t> cq, buffers;
    for (const QueueFacts& queue : kernel.queues) {
        cq = queue.cq_entries;
        buffers = queue.area_buffers;
    }
    if (cq && buffers && *buffers <= *cq)
        return ConformVerdict{
            TestStatus::kSkipped,
            fmt::format("The program's CQ of {} entries has room for each of the {} "
                        "buffers of its area, so pieces cannot fill it.",
                        *cq, *buffers)};
    return ConformVerdict{TestStatus::kBlocked,
                          fmt::format("The program's CQ of {} entries did not get full.",
                                      cq ? std::to_string(*cq) : "an unknown number of")};
}

}  // namespace

ConformVerdict judge(const ConformRound& round, Check check) {
    if (!round.program.refused.empty())
        return {TestStatus::kBlocked, "The program could not be started: " + round.program.refused};
    if (round.program.timed_out) return {TestStatus::kBlocked, "The time of --timeout was over."};
    if (round.situation->refusal != Refusal::kNothing && round.program.told)
        return judge_refused(round, check);
    Mistakes mistakes;
    if (round.program.told) judge_end(round, mistakes);
    if (!round.peer) {
        if (!mistakes.empty()) return {TestStatus::kFailed, in_words(mistakes)};
        return {TestStatus::kBlocked, round.program.by_itself
                                          ? "The program ended before its peer was done."
                                          : "The peer did not tell what it saw."};
    }
    if (!round.peer->error.empty() && mistakes.empty())
        return {TestStatus::kBlocked, "The situation could not be made: " + round.peer->error};
    if (!round.kernel.not_counted.empty())
        return {mistakes.empty() ? TestStatus::kBlocked : TestStatus::kFailed,
                in_words(mistakes) + "What was received is not known: " + round.kernel.not_counted +
                    "."};
    if (round.with_client)
        if (const auto unknown = client_unknown(round)) {
            if (!mistakes.empty()) return {TestStatus::kFailed, in_words(mistakes)};
            return *unknown;
        }
    // Whoever is killed gives nothing back.
    if (!round.situation->kills_program) judge_refill(round.kernel, mistakes);
    const std::string stalled =
        round.with_client ? judge_client(round, mistakes) : judge_streams(round, mistakes);
    if (check == Check::kEcho) judge_bytes(*round.peer, mistakes);
    if (check == Check::kSha256) judge_hashes(round, mistakes);
    judge_surroundings(round, mistakes);
    if (!mistakes.empty()) return {TestStatus::kFailed, in_words(mistakes)};
    if (!stalled.empty()) return {TestStatus::kBlocked, stalled};
    if (round.with_client)
        if (auto verdict = client_sent_too_little(round)) return *verdict;
    if (auto verdict = not_made(round)) return *verdict;
    if (const std::string unknown = unknown_of(*round.situation, round.kernel);
        !unknown.empty() && !round.situation->kills_program)
        return {TestStatus::kBlocked, "This kernel does not tell " + unknown + "."};
    return {TestStatus::kPassed, ""};
}

int conform_exit_code(const RunSummary& run) {
    const int code = exit_code(run);
    const bool blocked =
        std::ranges::find(run.tests, TestStatus::kBlocked, &TestResult::status) != run.tests.end();
    return code == kExitPassed && blocked ? kExitSkipped : code;
}

}  // namespace zcrxlab
