// Result: a value, or an errno with a sentence that says what went wrong.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace zcrxlab {

// What failed. `code` is a positive errno; `sentence` is complete, names the object it is about,
// and where a person can mend it, ends with what to type.
struct Error {
    int code = 0;
    std::string sentence;
};

// An Error from the current errno: "open /dev/x: No such file or directory".
inline Error error_from_errno(const std::string& doing, int code = errno) {
    return Error{code, doing + ": " + std::strerror(code)};
}

// Either a T or an Error. Reading the side that is not there is a programming mistake and aborts.
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(state_); }

  private:
    std::variant<T, Error> state_;
};

// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return std::get<1>(state_); }

  private:
    std::variant<std::monostate, Error> state_;
};

}  // namespace zcrxlab
