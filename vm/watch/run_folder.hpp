// RunFolder: a private folder for the sockets of one run, gone when the run ends.
#pragma once

#include <filesystem>
#include <utility>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

class RunFolder {
  public:
    // Below $XDG_RUNTIME_DIR, or /tmp where that is not set or too long for a socket's path (108
    // bytes). Also removes what runs left behind that were killed with SIGKILL.
    static Result<RunFolder> create();

    RunFolder(RunFolder&& other) noexcept
        : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
    RunFolder& operator=(RunFolder&&) = delete;
    ~RunFolder();

    const std::filesystem::path& path() const { return path_; }

  private:
    RunFolder(std::filesystem::path path, Fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}

    std::filesystem::path path_;
    Fd lock_;  // held while the run lives; the kernel lets go of it however we end
};

}  // namespace zcrxlab
