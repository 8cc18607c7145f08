// LimitedLog: a file that a guest fills, up to a limit, or until the disk is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

class LimitedLog {
  public:
    // `limit` in bytes. The file is made by what is written first.
    LimitedLog(std::filesystem::path file, uint64_t limit)
        : file_(std::move(file)), limit_(limit) {}

    // Opens the file, and keeps room on the disk for so many bytes, where the file system can.
    void reserve(uint64_t bytes);
    // All of it, or, from the first time on that it does not fit, nothing: one who reads lines
    // finds no half of one that was written as a whole. Says so on standard error, once.
    void write(std::string_view bytes);
    // What was written is in the file.
    void flush();
    // And it is on the disk.
    void sync();
    // And room that was kept is free again.
    void finish();

    // The first write that failed, as on a disk that is full; its sentence names the file.
    const std::optional<Error>& failure() const { return failure_; }
    // Whether something was left out because of the limit.
    bool cut() const { return cut_; }
    std::string name() const { return file_.filename().string(); }

  private:
    void open();
    void fail(int code);

    std::filesystem::path file_;
    uint64_t limit_;
    uint64_t taken_ = 0;    // bytes that were written here
    uint64_t flushed_ = 0;  // of these in the file
    std::string waiting_;
    Fd fd_;
    std::optional<Error> failure_;
    bool cut_ = false;
};

}  // namespace zcrxlab
