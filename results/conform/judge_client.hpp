// What the runs of the program's own client tell of it, where that sends in place of our peer.
#pragma once

#include <optional>
#include <string>

#include "results/conform/judge.hpp"
#include "results/conform/mistakes.hpp"

namespace zcrxlab {

// Each of a round whose peer has told something.

// Why nothing is known of what the client thinks: it told nothing, or could not be started.
std::optional<ConformVerdict> client_unknown(const ConformRound& round);

// Why nothing follows from a client that was not content; empty if something does.
std::string judge_client(const ConformRound& round, Mistakes& mistakes);

// Why nothing follows from the round: its client sent too little for the situation. Of a program
// that made no mistake.
std::optional<ConformVerdict> client_sent_too_little(const ConformRound& round);

}  // namespace zcrxlab
