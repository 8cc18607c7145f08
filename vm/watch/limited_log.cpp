// Counts what is written, and stops.
#include "vm/watch/limited_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace zcrxlab {

namespace {

constexpr size_t kPiece = 64 * 1024;

}  // namespace

void LimitedLog::write(std::string_view bytes) {
    if (cut_ || failure_) return;
    if (bytes.size() > limit_ - taken_) {
        cut_ = true;
        std::fprintf(stderr,
                     "zcrxlab: %s would be larger than %llu MiB; what comes from here on is not "
                     "kept.\n",
                     name().c_str(), static_cast<unsigned long long>(limit_ >> 20));
        return;
    }
    taken_ += bytes.size();
    waiting_ += bytes;
    if (waiting_.size() >= kPiece || !fd_) flush();
}

void LimitedLog::open() {
    if (fd_) return;
    fd_.reset(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!fd_) fail(errno);
}

void LimitedLog::reserve(uint64_t bytes) {
    open();
    if (fd_) ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
}

void LimitedLog::finish() {
    sync();
    if (fd_ && !failure_ && ::ftruncate(fd_.get(), static_cast<off_t>(flushed_)) != 0) fail(errno);
}

void LimitedLog::flush() {
    if (failure_ || waiting_.empty()) return;
    open();
    if (failure_) return;
    std::string_view left = waiting_;
    while (!left.empty()) {
        const ssize_t count = ::write(fd_.get(), left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(errno);
        left.remove_prefix(static_cast<size_t>(count));
    }
    flushed_ += waiting_.size();
    waiting_.clear();
}

void LimitedLog::sync() {
    flush();
    if (fd_ && !failure_ && ::fdatasync(fd_.get()) != 0 && errno != EINVAL) fail(errno);
}

void LimitedLog::fail(int code) {
    failure_ = error_from_errno("write " + file_.string(), code);
    waiting_.clear();
    // No half of a line is left.
    if (fd_ && ::ftruncate(fd_.get(), static_cast<off_t>(flushed_)) != 0)
        failure_->sentence += " (and its last line is no whole one)";
    std::fprintf(stderr, "zcrxlab: %s; what comes from here on is not kept.\n",
                 failure_->sentence.c_str());
}

}  // namespace zcrxlab
