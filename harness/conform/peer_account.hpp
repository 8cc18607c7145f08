// PeerAccount: what the peer of one situation did and saw, as it tells the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// How a stream ended, as its peer saw it.
enum class SeenEnd {
    kClosed,   // the receiver closed it in turn, or the peer reset it as the situation wants it
    kReset,    // the receiver reset it
    kOpen,     // the peer had ended it, and the receiver has not closed it
    kStuck,    // the receiver took nothing more, long before the end
    kShut,     // the receiver ended its side before the peer was done
    kRefused,  // it could not be opened
};
// "closed", "reset" ...
std::string_view name_of(SeenEnd end);

// Where what came back is not what was sent.
struct WrongByte {
    uint64_t position = 0;  // in the stream
    // So much further in the stream (or, below 0, before) is what came back; nothing if it is
    // nowhere near.
    std::optional<int64_t> shift = {};
    bool operator==(const WrongByte&) const = default;
};

struct PeerStream {
    uint16_t port = 0;        // of the peer; a receiver sees it as the remote one
    bool afterwards = false;  // the connection that shows whether the program is still of use
    uint64_t sent = 0;        // bytes that the peer's kernel took
    SeenEnd end = SeenEnd::kClosed;
    uint64_t echoed = 0;  // bytes that came back
    std::optional<WrongByte> wrong = {};
    // Of what was sent, and as the receiver answered it: SHA-256, 64 small hex digits; empty if it
    // was not asked for, or not answered.
    std::string hash = {}, answered = {};
    bool operator==(const PeerStream&) const = default;
};

// A run of the program's own client, where that sends in place of our peer.
struct ClientRun {
    bool afterwards = false;  // the run that shows whether the program is still of use
    int exit = 0;             // its exit code
    std::optional<int> signal = {};
    bool overdue = false;  // it had not ended in its time, and was killed
    // It ended as one does that found nothing wrong.
    bool went_well() const { return exit == 0 && !signal && !overdue; }
    bool operator==(const ClientRun&) const = default;
};

// What the program had between the first of many connections and the last.
struct Growth {
    uint64_t connections = 0;
    uint64_t memory_before = 0, memory_after = 0;  // bytes of its own (RssAnon)
    uint64_t files_before = 0, files_after = 0;    // descriptors
    bool operator==(const Growth&) const = default;
};

struct PeerAccount {
    std::vector<PeerStream> streams;
    // While nothing was said: how long that was, and how long the program had a processor
    // meanwhile, in milliseconds.
    std::optional<uint64_t> silent_milliseconds, busy_milliseconds;
    // Streams that could not be sent on while the program stood still.
    uint64_t held_back = 0;
    std::optional<Growth> growth = {};
    // With a client, `streams` is empty, and `growth` counts runs of it.
    std::vector<ClientRun> clients = {};
    // It ended before what was to happen amid its packets could.
    bool client_was_done = false;
    // Packets with payload that came from it while the program stood still.
    std::optional<uint64_t> packets_meanwhile = {};
    uint64_t idle_rules = 0;  // mistakes of the NIC for which no packet came
    // Connections of the program whose client had ended them 10 s before.
    uint64_t left_open = 0;
    // What kept the peer from making the situation; a sentence.
    std::string error;
    bool operator==(const PeerAccount&) const = default;
};

// A line of JSON without its end.
std::string to_json(const PeerAccount& account);
// The same back. EINVAL if `line` is no such thing; the line comes out of a guest.
Result<PeerAccount> peer_account_from_json(std::string_view line);

}  // namespace zcrxlab
