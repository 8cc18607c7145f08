// LinkedTree: a twin of a kernel tree made of hard links, so that single sources can be changed in
// it and nothing is in the tree itself.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/build/source_patch.hpp"

namespace zcrxlab {

class LinkedTree {
  public:
    // Makes `twin` anew from `tree`, without its .git; on another file system the files are copied.
    // Sources that were ever changed in this twin are copies with a new time, so that a build of it
    // compiles them again even if the last one was broken off.
    static Result<LinkedTree> create(const std::filesystem::path& tree,
                                     const std::filesystem::path& twin);

    const std::filesystem::path& path() const { return twin_; }

    // Makes what the patches change as in the tree, and applies them, one on top of the other, each
    // just as it says. EINVAL, and nothing changed, if one does not fit.
    Result<void> apply(const std::vector<SourcePatch>& patches);
    // Writes `text` in the place of a source. EINVAL if the tree does not have it.
    Result<void> replace(const std::string& source, const std::string& text);
    // Makes the sources of `patch` again what they are in the tree.
    Result<void> restore(const SourcePatch& patch);

  private:
    LinkedTree(std::filesystem::path tree, std::filesystem::path twin);
    // Puts a copy, with the time of now, in the place of the link.
    Result<void> copy(const std::string& source) const;
    // Before it is changed: a build that is broken off has to be remembered.
    void remember(const std::string& source);
    std::filesystem::path list_of_changed() const;

    std::filesystem::path tree_, twin_;
    std::set<std::string> changed_;
};

}  // namespace zcrxlab
