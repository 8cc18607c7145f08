// ConsoleLines: the guest's serial console cut into lines, the last of them kept, oopses noticed.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace zcrxlab {

enum class ConsoleSign {
    kNothing,
    kOops,   // the kernel hit a bug; with oops=panic a panic follows
    kPanic,  // the kernel has stopped
};

// What a console line says of the kernel's health.
ConsoleSign sign_of(std::string_view line);

// The line that says what went wrong, of all that a kernel prints before it panics: "BUG: kernel
// NULL pointer dereference ..." and where, rather than "Fatal exception" behind 40 lines of
// registers.
class PanicCause {
  public:
    void line(std::string_view line);
    // Empty if there was none.
    std::string text() const;

  private:
    std::string bug_, oops_, place_;
};

class ConsoleLines {
  public:
    static constexpr size_t kKept = 40;        // lines
    static constexpr size_t kLongest = 16384;  // bytes; a longer line is cut

    explicit ConsoleLines(std::function<void(const std::string&)> each = nullptr)
        : each_(std::move(each)) {}

    // Adds bytes as they arrived; `each` is called for every whole line, without its end.
    void feed(std::string_view bytes);
    // The last lines, oldest first, each with a newline; the unfinished one too.
    std::string tail() const;

  private:
    void finish_line();

    std::function<void(const std::string&)> each_;
    std::string line_;
    std::deque<std::string> kept_;
};

}  // namespace zcrxlab
