// The cache folder: lock, temporary folders, whole files.
#include "kernels/packages/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/base/environment.hpp"
#include "harness/base/stop_signals.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockPoll = std::chrono::milliseconds(100);
constexpr const char* kTemporary = "tmp";

Error cannot_write(const fs::path& folder, int code) {
    return Error{code, "The cache folder " + folder.string() + " cannot be written (" +
                           std::strerror(code) +
                           "). Name another one: export ZCRXLAB_CACHE=/path/with/space"};
}

}  // namespace

Result<Cache> Cache::from_environment() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    fs::path root;
    if (const auto named = variable(environment::kCache); !named.empty()) {
        root = named;
    } else if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty() && xdg.front() == '/') {
        root = fs::path(xdg) / "zcrxlab";
    } else if (const auto home = variable("HOME"); !home.empty()) {
        root = fs::path(home) / ".cache" / "zcrxlab";
    } else {
        return Error{ENOENT,
                     "There is no home folder to keep packages in. Name a cache folder: "
                     "export ZCRXLAB_CACHE=/path/with/space"};
    }
    std::error_code code;
    const fs::path absolute = fs::absolute(root, code);
    if (code) return error_from_errno("find " + root.string(), code.value());
    // apt reads this path from its own configuration and sources, where these have a meaning.
    if (absolute.string().find_first_of("\"'[]\n\\ ") != std::string::npos)
        return Error{EINVAL, "The cache folder " + absolute.string() +
                                 " has a space, quote, bracket or backslash in its name, which apt "
                                 "cannot take. Name another one: export ZCRXLAB_CACHE=/path"};
    return Cache(absolute);
}

Result<Fd> Cache::lock(const Progress& progress) const {
    std::error_code code;
    fs::create_directories(root_, code);
    if (code) return cannot_write(root_, code.value());
    Fd lock(::open((root_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock) return cannot_write(root_, errno);
    bool told = false;
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return error_from_errno("lock " + (root_ / "lock").string());
        if (stop_signal_waits()) return Error{EINTR, "Interrupted."};
        if (!told && progress) progress("waiting for packages that are being fetched already");
        told = true;
        std::this_thread::sleep_for(kLockPoll);
    }
    fs::remove_all(root_ / kTemporary, code);
    return lock;
}

Result<fs::path> Cache::temporary_folder() const {
    std::error_code code;
    fs::create_directories(root_ / kTemporary, code);
    if (code) return cannot_write(root_, code.value());
    std::string name = (root_ / kTemporary / "XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return cannot_write(root_, errno);
    return fs::path(name);
}

Result<void> Cache::place(const fs::path& filled, const fs::path& place) const {
    const fs::path target = root_ / place;
    std::error_code code;
    fs::create_directories(target.parent_path(), code);
    if (code) return cannot_write(target.parent_path(), code.value());
    // What is renamed must be on the disk before its name is, or a power cut leaves an empty shell.
    if (const Fd folder(::open(filled.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
        ::syncfs(folder.get());
    fs::remove_all(target, code);
    fs::rename(filled, target, code);
    if (code) return cannot_write(target, code.value());
    return {};
}

Result<void> Cache::check_writable() const {
    const fs::path trial = root_ / ("trial-" + std::to_string(::getpid()));
    auto written = write_whole(trial, "");
    std::error_code code;
    fs::remove(trial, code);
    return written;
}

Result<uint64_t> Cache::free_bytes() const {
    fs::path existing = root_;
    std::error_code code;
    while (!fs::exists(existing, code) && existing.has_relative_path())
        existing = existing.parent_path();
    struct statvfs space {};
    if (::statvfs(existing.c_str(), &space) != 0) return cannot_write(existing, errno);
    return uint64_t{space.f_bavail} * space.f_frsize;
}

Result<void> Cache::require(uint64_t bytes, const std::string& what) const {
    const auto free = free_bytes();
    if (!free) return free.error();
    if (*free >= bytes) return {};
    const auto megabytes = [](uint64_t number) { return static_cast<double>(number) / 1e6; };
    return Error{ENOSPC,
                 fmt::format("There is not enough space for {}: up to {:.1f} MB are needed below "
                             "{}, where {:.1f} MB are free. Name a cache folder with more space: "
                             "export ZCRXLAB_CACHE=/path/with/space",
                             what, megabytes(bytes), root_.string(), megabytes(*free))};
}

Result<void> write_whole(const fs::path& file, const std::string& text) {
    std::error_code code;
    fs::create_directories(file.parent_path(), code);
    std::string temporary = file.string() + ".XXXXXX";
    const Fd out(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!out) return cannot_write(file.parent_path(), errno);
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(out.get(), text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int why = errno;
            ::unlink(temporary.c_str());
            return cannot_write(file.parent_path(), why);
        }
        done += static_cast<size_t>(count);
    }
    ::fchmod(out.get(), 0644);
    if (::rename(temporary.c_str(), file.c_str()) != 0) {
        const int why = errno;
        ::unlink(temporary.c_str());
        return cannot_write(file.parent_path(), why);
    }
    return {};
}

}  // namespace zcrxlab
