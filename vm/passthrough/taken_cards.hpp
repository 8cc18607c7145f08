// TakenCards: NICs of this machine while a guest has them; they go back to their drivers however
// the run ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/lab/journal.hpp"
#include "vm/options.hpp"
#include "vm/passthrough/passthrough.hpp"

namespace zcrxlab {

class TakenCards {
  public:
    // Puts back what an earlier run left, looks at the cards that `options` name, says what they
    // are and what will be done, and asks. Takes nothing yet. EPERM without root; EBUSY or EACCES
    // with all reasons why they are not taken; ECANCELED if nobody agreed.
    static Result<std::unique_ptr<TakenCards>> look(const VmOptions& options);
    // Gives back what give_back() did not.
    ~TakenCards();
    TakenCards(const TakenCards&) = delete;
    TakenCards& operator=(const TakenCards&) = delete;

    // What taking does, as a person would type it.
    std::vector<std::string> commands() const { return cards_.plan().commands(); }

    // Writes the journal and takes them. From then on SIGINT, SIGTERM and SIGHUP are held back
    // until they are given back, but for those who wait for them. EINTR if one came.
    Result<void> take();
    // The exit code: 0 if all is as it was. What is not is said.
    int give_back();

  private:
    TakenCards(Passthrough cards, std::vector<JournalFile> held)
        : cards_(std::move(cards)), held_(std::move(held)) {}

    Passthrough cards_;
    Journal journal_;
    std::optional<StopSignals> signals_;
    // The journal is in the first; the others keep other runs away.
    std::vector<JournalFile> held_;
    bool taken_ = false;
};

}  // namespace zcrxlab
