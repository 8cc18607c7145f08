// Sentences: what the message of a test says to people who know the kernel and nothing of us.
#pragma once

#include <string>
#include <vector>

namespace zcrxlab {

// Each once and with its full stop: without the places of our sources, what the test claims, and
// the names of invariants.
std::vector<std::string> sentences_of(const std::string& message);
// The first of them; empty: there is none.
std::string one_sentence_of(const std::string& message);
// The promise of the first invariant that the message names; empty: it names none.
std::string promise_in(const std::string& message);

}  // namespace zcrxlab
