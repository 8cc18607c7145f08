// Program: the input of a fuzz target as letters, each with its numbers, so that a seed is a text
// that a person can write: "t03 b0" and a "# comment" up to the end of the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace zcrxlab {

class Program {
  public:
    Program(const uint8_t* data, size_t size) : left_(data, size) {}

    // The next letter, behind blanks, line ends and comments; 0 at the end.
    char letter() {
        while (!left_.empty()) {
            const auto next = static_cast<char>(take());
            if (next == '#') {
                while (!left_.empty() && take() != '\n') {
                }
            } else if (next != ' ' && next != '\n') {
                return next;
            }
        }
        return 0;
    }
    // One byte as a number: '0' is 0, '9' 9, 'A' 17, 'a' 49; 0 at the end.
    uint8_t number() { return left_.empty() ? uint8_t{0} : static_cast<uint8_t>(take() - '0'); }
    // Two of them, the first 256 times the second.
    uint16_t wide() {
        const uint16_t high = number();
        return static_cast<uint16_t>(high << 8 | number());
    }
    // As they are in the input; fewer at its end.
    std::vector<std::byte> bytes(size_t count) {
        const auto taken = std::as_bytes(left_.first(std::min(count, left_.size())));
        left_ = left_.subspan(taken.size());
        return {taken.begin(), taken.end()};
    }
    // An object of these bytes; zeros where the input ends.
    template <typename T>
    T object() {
        T object{};
        const auto taken = bytes(sizeof(object));
        if (!taken.empty()) std::memcpy(&object, taken.data(), taken.size());
        return object;
    }

  private:
    uint8_t take() {
        const uint8_t next = left_.front();
        left_ = left_.subspan(1);
        return next;
    }

    std::span<const uint8_t> left_;
};

}  // namespace zcrxlab
