// Restoring NICs from journals: by the run itself, by the next run, or by a command.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/journal.hpp"

namespace zcrxlab {

// Restores from one file, clears it if all is as it was, and says what it does. The exit code.
int restore_from(JournalFile& file, const Journal& journal);

// Journals that nobody holds and that were not cleared; those about one of `names` (interfaces or
// PCI addresses), or all if that is empty.
struct LeftBehind {
    std::vector<std::pair<JournalFile, Journal>> journals;
    std::vector<Error> unreadable;
};
LeftBehind left_behind(const std::vector<std::string>& names);

// EBUSY if a run that goes on has one of `names`, also one that still asks, or if an earlier one
// left one of them changed; this is put back first if `yes`.
Result<void> mend_earlier(const std::vector<std::string>& names, bool yes);

// Holds the journals `files` (as JournalFile::name_for() has them) for a run on `names`, and then
// finds out whether another run, which ended since mend_earlier() or goes on, has left one of them
// changed: EBUSY. Only what is looked at after this is what the run has to put back.
Result<std::vector<JournalFile>> hold_for_run(const std::vector<std::string>& files,
                                              const std::vector<std::string>& names);

// For trying `zcrxlab lab restore`: the number of the change before which a run is to end as kill
// -9 would (ZCRXLAB_LAB_DIE_AT); 0 for none.
unsigned step_to_die_at();

// Asks on the terminal; no if there is none.
bool agrees();

}  // namespace zcrxlab
