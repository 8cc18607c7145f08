// Corpus: keeps lists that reached something new in a folder, for later runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/fuzz/model.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

class Corpus {
  public:
    // None: nothing is ever kept.
    Corpus() = default;
    // Makes the folder, and reads every *.actions in it. EINVAL names the file that is no list.
    static Result<Corpus> open(const std::filesystem::path& folder);

    // A list in a file of the folder; written to the end, or not at all.
    Result<void> keep(const ActionList& list);
    // In the order of their files' names, then as they were kept.
    const std::vector<ActionList>& lists() const { return lists_; }
    // Where those of them came from that the model made: what can be changed.
    const std::vector<Origin>& origins() const { return origins_; }

  private:
    void remember(const ActionList& list);

    std::filesystem::path folder_;
    std::vector<ActionList> lists_;
    std::vector<Origin> origins_;
};

}  // namespace zcrxlab
