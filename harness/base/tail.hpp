// Tail: the whole lines that a file got since the last look, while another program writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zcrxlab {

class Tail {
  public:
    explicit Tail(std::filesystem::path path) : path_(std::move(path)) {}
    // Without their ends; none while there is no such file. What has no end yet is for the next
    // look.
    std::vector<std::string> take();

  private:
    std::filesystem::path path_;
    uint64_t offset_ = 0;
};

}  // namespace zcrxlab
