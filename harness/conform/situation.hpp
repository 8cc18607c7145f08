// Situation: what NIC and peer do on purpose to somebody's receiver. One row each, which the peer
// in the guest acts by and the judge of its end reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace zcrxlab {

// How a stream of the peer ends, from the peer's side.
enum class StreamEnd {
    kFin,          // behind the data
    kFinWithData,  // in the packet of the last data
    kReset,        // behind the data, when all of it was acknowledged
    kResetAtOnce,  // before any data
};

// What refuses the registration of a queue.
enum class Refusal {
    kNothing,
    kQueueTaken,  // another process has the queue: -EEXIST
    kOldKernel,   // the kernel knows no such registration: -EINVAL
};

struct Situation {
    std::string_view name;     // as it is chosen, and as reports have it
    std::string_view summary;  // what happens, for people: "a peer sends ..."
    // It can be made as well where the program's own client sends in place of our peer: it is not
    // what the peer sends that makes it.
    bool with_client = false;
    std::string_view client_summary = {};  // what happens then, if `summary` does not say it
    unsigned connections = 1;              // side by side
    uint64_t bytes = 0;                    // on each of them
    uint64_t write = 65536;                // bytes of each write of the peer
    uint8_t family = 4;                    // or 6
    StreamEnd end = StreamEnd::kFin;
    // Rules for the NIC (nic/control/README.md), JSON, one a line.
    std::string_view faults = {};
    // The program stands still (SIGSTOP) from when the first bytes of each stream have arrived, or
    // the client's first packets have, until no more can be sent. Nothing that it holds comes back
    // meanwhile.
    bool stops_program = false;
    // It stands still for nine tenths of the time while it receives.
    bool slows_program = false;
    // It is killed (SIGKILL) when the first of them have arrived, and started again.
    bool kills_program = false;
    // So many connections more, one after another, each as the first ones are. A client runs
    // kClientRunsOneByOne times more.
    unsigned one_by_one = 0;
    // The peer is told of no gaps, and so sends again what has arrived, too.
    bool without_sack = false;
    Refusal refusal = Refusal::kNothing;
    unsigned queues = 1;  // so many the program must have been given
    // For so long the connections are open and say nothing, in milliseconds. A client stands still.
    unsigned silent_milliseconds = 0;
    // Then one more connection, as a plain one, that shows whether the program is still of use; a
    // client runs once more.
    bool afterwards = false;

    // What is judged beside what always is.
    bool fills_cq = false;         // only what was told of a full CQ is judged
    bool must_be_copied = false;   // only what was copied is
    bool must_not_starve = false;  // the NIC must find buffers
    // What the entries of the refill ring have named must be known. Elsewhere it shows by what it
    // does: without its buffers the NIC stands still.
    bool needs_entries = false;
    bool closes_window = false;   // only if the peer could not send more meanwhile
    bool empties_area = false;    // only if the NIC found no buffer
    bool crosses_queues = false;  // data of another queue cannot be read; only if it was met
};

// What happens, as a part of a sentence, with a client or without.
std::string_view summary_of(const Situation& situation, bool with_client);

// In the order in which they are run.
std::span<const Situation> situations();
// Null if there is none of that name.
const Situation* find_situation(std::string_view name);

// What the connection "afterwards" carries.
inline constexpr uint64_t kAfterwardsBytes = 65536;
// A client takes longer than a connection.
inline constexpr unsigned kClientRunsOneByOne = 12;

}  // namespace zcrxlab
