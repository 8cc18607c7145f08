// Reads and writes whole files by system calls, whose errno says what went wrong.
#include "harness/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/fd.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr size_t kFirstPiece = 16 * 1024;

}  // namespace

Result<std::string> read_start(const fs::path& path, size_t most) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return error_from_errno("open " + path.string());
    struct stat status {};
    // One byte more than it should have, so that its end is seen at once.
    size_t piece = kFirstPiece;
    if (::fstat(fd.get(), &status) == 0 && status.st_size > 0)
        piece = static_cast<size_t>(status.st_size) + 1;
    std::string text;
    while (text.size() < most) {
        const size_t had = text.size();
        text.resize(had + std::min(piece, most - had));
        const ssize_t got = ::read(fd.get(), text.data() + had, text.size() - had);
        const int code = errno;
        text.resize(had + (got > 0 ? static_cast<size_t>(got) : 0));
        if (got < 0 && code == EINTR) continue;
        if (got < 0) return error_from_errno("read " + path.string(), code);
        if (got == 0) break;
        piece = std::max(kFirstPiece, text.size());
    }
    return text;
}

Result<std::string> read_file(const fs::path& path, size_t limit) {
    Result<std::string> text = read_start(path, limit + 1);
    if (text && text->size() > limit)
        return Error{EFBIG, path.string() + " has more than " + std::to_string(limit) + " bytes."};
    return text;
}

std::string text_of_file(const fs::path& path, size_t limit) {
    Result<std::string> text = read_file(path, limit);
    return text ? std::move(*text) : std::string();
}

Result<void> write_file(const fs::path& path, std::string_view content) {
    Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!fd) return error_from_errno("open " + path.string());
    while (!content.empty()) {
        const ssize_t written = ::write(fd.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return error_from_errno("write " + path.string());
        content.remove_prefix(static_cast<size_t>(written));
    }
    // Network file systems tell here that there is no room.
    if (::close(fd.release()) != 0) return error_from_errno("write " + path.string());
    return {};
}

Result<void> replace_file(const fs::path& path, std::string_view content) {
    fs::path unfinished = path;
    unfinished += ".unfinished-" + std::to_string(::getpid());
    Result<void> done = write_file(unfinished, content);
    if (done && ::rename(unfinished.c_str(), path.c_str()) != 0)
        done = error_from_errno("write " + path.string());
    if (!done) ::unlink(unfinished.c_str());
    return done;
}

}  // namespace zcrxlab
