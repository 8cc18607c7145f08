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
#include "results/conform/promises.hpp"

namespace zcrxlab {

namespace {

// One mistake.
struct Mistake {
    std::string did;
    std::string_view
        promise;  // an identifier of the contract; empty: it is no matter of the kernel
    std::string change;
};
using Mistakes = std::vector<Mistake>;

// So few pieces a program may hold to give them back together.
constexpr uint64_t kBatch = 64;

// The first in full, of the others what the program did.
std::string in_words(const Mistakes& mistakes) {
    std::string text;
    for (const Mistake& mistake : mistakes) {
        if (&mistake != &mistakes.front()) {
            text += " Also: " + mistake.did;
            continue;
        }
        text = mistake.did;
        if (!mistake.promise.empty())
            text += fmt::format(" The kernel promises: {} ({}).", text_of_promise(mistake.promise),
                                mistake.promise);
        text += " " + mistake.change;
    }
    return text;
}

// A stream whose bytes are all to be taken: it did not end with a reset of the peer's.
bool is_whole(const Situation& situation, const PeerStream& stream) {
    return stream.afterwards || situation.end == StreamEnd::kFin ||
           situation.end == StreamEnd::kFinWithData;
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
    did += stream.end == SeenEnd::kReset     ? ", and closed the connection before the rest"
           : stream.end == SeenEnd::kRefused ? ", since it refused the connection"
           : stream.end == SeenEnd::kClosed  ? ", and closed the connection"
                                             : ", and left the connection open";
    if (others != 0) did += fmt::format("; so it did with {} more", others);
    const bool gave_up = stream.end == SeenEnd::kReset || stream.end == SeenEnd::kClosed;
    const auto ended_by = [&](int code) { return kernel.errors.contains(-code); };
    if (kernel.bytes == 0 && situation.bytes != 0) {
        mistakes.push_back({did + ": nothing at all was received by zero-copy receive.",
                            "cqe32.data-flags",
                            "Submit RECV_ZC for each connection that is accepted."});
    } else if (ended_by(ENOSPC) && gave_up) {
        mistakes.push_back({did + ", as a request ended with -ENOSPC.", "cqe32.final-cq-full",
                            "-ENOSPC is not the end of the stream: reap the CQ, and arm the "
                            "request again. So it is with -ENOMEM."});
    } else if (ended_by(ENOSPC)) {
        mistakes.push_back({did + ", and armed no request after one had ended with -ENOSPC.",
                            "cqe32.rearm",
                            "A CQE without IORING_CQE_F_MORE is the last of its request: arm it "
                            "again unless its result is 0 or tells of a dead connection."});
    } else if (ended_by(ENOMEM)) {
        mistakes.push_back({did + ", after a request had ended with -ENOMEM.", "exhaustion.enomem",
                            "-ENOMEM is not the end of the stream: give buffers back, and arm the "
                            "request again."});
    } else {
        mistakes.push_back({did + ".", "cqe32.stream-order",
                            "Arm a request for each connection, and again after each CQE without "
                            "IORING_CQE_F_MORE until the stream has ended with a result of 0."});
    }
}

void judge_streams(const ConformRound& round, Mistakes& mistakes) {
    const Situation& situation = *round.situation;
    const ReceiveFacts& kernel = round.kernel;
    std::vector<const PeerStream*> missing, open;
    for (const PeerStream& stream : round.peer->streams) {
        const bool refused = stream.end == SeenEnd::kRefused || stream.end == SeenEnd::kStuck;
        if (refused || (is_whole(situation, stream) && taken_of(kernel, stream) < stream.sent)) {
            missing.push_back(&stream);
        } else if (stream.end == SeenEnd::kOpen) {
            open.push_back(&stream);
        }
    }
    // What came first explains more than the connection afterwards.
    if (!missing.empty())
        judge_missing(situation, kernel, *missing.front(), missing.size() - 1, mistakes);
    if (!open.empty())
        mistakes.push_back(
            {fmt::format("It left {} of {} connections open whose peer had closed 10 s before.",
                         open.size(), round.peer->streams.size()),
             "cqe32.final-eof", "Close the socket when a final CQE has the result 0."});
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

void judge_surroundings(const ConformRound& round, Mistakes& mistakes) {
    const ReceiveFacts& kernel = round.kernel;
    if (round.situation->must_not_starve)
        for (const QueueFacts& queue : kernel.queues)
            if (queue.starved != 0)
                mistakes.push_back(
                    {fmt::format("{} times there was no buffer for the NIC{}.", queue.starved,
                                 queue.area_pages ? fmt::format(", of the {} pages of its area",
                                                                *queue.area_pages)
                                                  : std::string()),
                     "exhaustion.throttled",
                     "Make the area larger, or give buffers back earlier: the driver posts a "
                     "buffer for each place of its receive ring before anything comes, and what "
                     "waits in sockets holds more."});
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
std::string unknown_of(const ReceiveFacts& kernel) {
    for (const QueueFacts& queue : kernel.queues) {
        if (!queue.given_back) return "how much it gave back";
        if (!queue.unreadable && !queue.flushes) return "what it gave back";
        if (!queue.most_in_ring || !queue.ring_entries) return "how full its refill ring was";
    }
    return "";
}

// The situation was not what it is called, so that nothing follows from it.
std::optional<ConformVerdict> not_made(const ConformRound& round) {
    const ReceiveFacts& kernel = round.kernel;
    if (round.situation->must_be_copied && kernel.copied == 0)
        return ConformVerdict{TestStatus::kBlocked, "The kernel has copied nothing."};
    if (!round.situation->fills_cq || kernel.cq_full != 0 || kernel.errors.contains(-ENOSPC))
        return std::nullopt;
    std::optional<uint64_t> cq, pages;
    for (const QueueFacts& queue : kernel.queues) {
        cq = queue.cq_entries;
        pages = queue.area_pages;
    }
    if (cq && pages && *pages <= *cq)
        return ConformVerdict{
            TestStatus::kSkipped,
            fmt::format("The program's CQ of {} entries has room for each of the {} "
                        "buffers of its area, so pieces cannot fill it.",
                        *cq, *pages)};
    return ConformVerdict{TestStatus::kBlocked,
                          fmt::format("The program's CQ of {} entries did not get full.",
                                      cq ? std::to_string(*cq) : "an unknown number of")};
}

}  // namespace

ConformVerdict judge(const ConformRound& round, Check check) {
    if (!round.program.refused.empty())
        return {TestStatus::kBlocked, "The program could not be started: " + round.program.refused};
    if (round.program.timed_out) return {TestStatus::kBlocked, "The time of --timeout was over."};
    Mistakes mistakes;
    if (round.program.told) judge_end(round, mistakes);
    if (!round.peer) {
        if (!mistakes.empty()) return {TestStatus::kFailed, in_words(mistakes)};
        return {TestStatus::kBlocked, round.program.by_itself
                                          ? "The program ended before its peer was done."
                                          : "The peer did not tell what it saw."};
    }
    if (!round.peer->error.empty())
        return {TestStatus::kBlocked, "The situation could not be made: " + round.peer->error};
    if (!round.kernel.not_counted.empty())
        return {mistakes.empty() ? TestStatus::kBlocked : TestStatus::kFailed,
                in_words(mistakes) + "What was received is not known: " + round.kernel.not_counted +
                    "."};
    judge_refill(round.kernel, mistakes);
    judge_streams(round, mistakes);
    if (check == Check::kEcho) judge_bytes(*round.peer, mistakes);
    judge_surroundings(round, mistakes);
    if (!mistakes.empty()) return {TestStatus::kFailed, in_words(mistakes)};
    if (auto verdict = not_made(round)) return *verdict;
    if (const std::string unknown = unknown_of(round.kernel); !unknown.empty())
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
