// The promise of a run that changes NICs of this machine: they are put back however it ends.
#pragma once

#include "harness/lab/journal.hpp"

namespace zcrxlab {

// Puts back what the journal has: when it is asked to, or else at its own end, which an exception
// brings about, too.
class Restoration {
  public:
    // Both are borrowed. The journal is on the disk already.
    Restoration(JournalFile& file, const Journal& journal) : file_(file), journal_(journal) {}
    ~Restoration();
    Restoration(const Restoration&) = delete;
    Restoration& operator=(const Restoration&) = delete;

    // Prints what it does, and what is not as it was. The exit code.
    int restore();

  private:
    JournalFile& file_;
    const Journal& journal_;
    bool done_ = false;
};

}  // namespace zcrxlab
