// Makes and removes the folder of a run.
#include "vm/watch/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "zcrxlab.";
// "/zcrxlab.XXXXXX/" and a socket's name have to fit behind it in sockaddr_un::sun_path.
constexpr size_t kLongestParent = 60;
// A folder this young may not have been locked yet by the run that is just making it.
constexpr time_t kSettleSeconds = 10;

fs::path parent_folder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && runtime[0] == '/' &&
        fs::path(runtime).native().size() <= kLongestParent && ::access(runtime, W_OK) == 0)
        return runtime;
    return "/tmp";
}

// Removes folders of ours that no living run holds.
void remove_stale(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        if (it->path().filename().native().compare(0, 8, kPrefix) != 0) continue;
        Fd folder(::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::getuid() ||
            status.st_ctime + kSettleSeconds > ::time(nullptr) ||
            ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
            continue;
        std::error_code ignored;
        fs::remove_all(it->path(), ignored);
    }
}

}  // namespace

Result<RunFolder> RunFolder::create() {
    const fs::path parent = parent_folder();
    remove_stale(parent);
    std::string path = parent / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) return error_from_errno("create " + path);
    Fd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return error_from_errno("lock " + path);
    return RunFolder(std::move(path), std::move(lock));
}

RunFolder::~RunFolder() {
    if (path_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace zcrxlab
