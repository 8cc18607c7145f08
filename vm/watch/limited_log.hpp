// LimitedLog: a file that a guest fills, up to a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace zcrxlab {

class LimitedLog {
  public:
    // `limit` in bytes. The file is made by what is written first.
    LimitedLog(std::filesystem::path file, uint64_t limit)
        : file_(std::move(file)), limit_(limit) {}

    // All of it, or, from the first time on that it does not fit, nothing: one who reads lines
    // finds no half of one that was written as a whole. Says so on standard error, once.
    void write(std::string_view bytes);
    void flush();

    // Of what was written so far; false on a disk that is full.
    bool good() const { return stream_.good(); }
    // Whether something did not fit.
    bool cut() const { return cut_; }
    std::string name() const { return file_.filename().string(); }

  private:
    std::filesystem::path file_;
    uint64_t limit_, written_ = 0;
    std::ofstream stream_;
    bool cut_ = false;
};

}  // namespace zcrxlab
