// A report of mistakes in a small source, with everything that a real one has.
#pragma once

#include "results/coverage/mutation_page.hpp"

namespace zcrxlab {

// In "io_uring/zcrx.c": `noticed`, in which all were noticed, by up to four scenarios on a line;
// `mixed`, with one of each outcome; `untouched`, in which none was made; and texts that would be
// markup.
MutationReport fake_mutations();

}  // namespace zcrxlab
