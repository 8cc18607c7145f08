// The judge of a receiver: a pure function of what the peer, the kernel and the program have told
// of one situation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/conform/check.hpp"
#include "harness/conform/peer_account.hpp"
#include "harness/conform/situation.hpp"
#include "harness/report/report.hpp"
#include "results/conform/receive_facts.hpp"
#include "results/conform/stalling_bugs.hpp"

namespace zcrxlab {

// How the program ended.
struct ReceiverEnd {
    bool told = false;         // the guest said it
    std::string refused = {};  // why it could not be started
    bool listened = true;      // so that its peer could begin
    bool by_itself = false;    // and not because its peer was done
    int exit = 0;              // its exit code
    std::optional<int> signal = {};
    bool timed_out = false;  // --timeout was over
};

struct ConformRound {
    const Situation* situation = nullptr;
    std::optional<PeerAccount> peer = {};  // empty: it told nothing
    ReceiveFacts kernel = {};
    ReceiverEnd program = {};
    std::vector<std::string> printed = {};  // each SHA-256 that the program printed
    unsigned queues = 1;                    // that it was given
    bool with_client = false;               // which sent in place of our peer
    // That stop streams, and that the kernel has.
    std::vector<StallingBug> stalling_bugs = {};
};

struct ConformVerdict {
    TestStatus status = TestStatus::kBlocked;
    // Of a red one: what the program did, what the kernel promises, and what to change.
    std::string sentence;
};

ConformVerdict judge(const ConformRound& round, Check check);

// The exit code for all situations: that of harness/report, but for a receiver that did nothing
// wrong and of which something could not be judged, which is kExitSkipped.
int conform_exit_code(const RunSummary& run);

}  // namespace zcrxlab
