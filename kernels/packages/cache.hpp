// Cache: the folder where fetched packages live, complete or not at all, shared by all runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "harness/base/fd.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

class Cache {
  public:
    // $ZCRXLAB_CACHE, else $XDG_CACHE_HOME/zcrxlab, else ~/.cache/zcrxlab. Creates nothing.
    static Result<Cache> from_environment();
    explicit Cache(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const { return root_; }

    // One holder at a time among all processes; waits and says so. Creates the folder. Removes
    // what broken-off runs have left in the temporary folder. The lock goes with the Fd.
    Result<Fd> lock(const Progress& progress) const;

    // A new empty folder on the same file system, to be filled and then given to place(). Only
    // while holding the lock.
    Result<std::filesystem::path> temporary_folder() const;

    // Makes `filled` the folder `place` (relative to the cache) in one step.
    Result<void> place(const std::filesystem::path& filled,
                       const std::filesystem::path& place) const;

    // Whether a file can be made there; tries it. EACCES, EROFS and the like with a sentence.
    Result<void> check_writable() const;

    // Bytes that can still be written there.
    Result<uint64_t> free_bytes() const;
    // ENOSPC with what to type if these are fewer than `bytes`, which `what` needs ("QEMU").
    Result<void> require(uint64_t bytes, const std::string& what) const;

  private:
    std::filesystem::path root_;
};

// Writes `text` to `file` so that readers see the old content or the new, never a part.
Result<void> write_whole(const std::filesystem::path& file, const std::string& text);

}  // namespace zcrxlab
