// The moment as text.
#include "vm/guest/moment.hpp"

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

namespace zcrxlab {

namespace {

constexpr long kNanosecondsPerSecond = 1'000'000'000;

// Takes a number and the character behind it off the text.
template <typename Number>
bool take_number(std::string_view& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
    return true;
}

}  // namespace

Result<Moment> moment_now() {
    Moment moment;
    // At most 256 bytes come at once, and whole.
    if (::getrandom(moment.entropy.data(), moment.entropy.size(), 0) !=
        static_cast<ssize_t>(moment.entropy.size()))
        return error_from_errno("get random bytes");
    ::clock_gettime(CLOCK_REALTIME, &moment.time);
    return moment;
}

std::string to_text(const Moment& moment) {
    std::string text =
        std::to_string(moment.time.tv_sec) + " " + std::to_string(moment.time.tv_nsec) + " ";
    for (const uint8_t byte : moment.entropy) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", byte);
        text += digits.data();
    }
    return text + "\n";
}

Result<Moment> moment_from_text(std::string_view text) {
    const Error none{EINVAL, "The moment at which a guest goes on makes no sense."};
    Moment moment;
    if (!take_number(text, moment.time.tv_sec) || !take_number(text, moment.time.tv_nsec) ||
        moment.time.tv_nsec < 0 || moment.time.tv_nsec >= kNanosecondsPerSecond ||
        text.size() != 2 * moment.entropy.size() + 1 || text.back() != '\n')
        return none;
    for (uint8_t& byte : moment.entropy) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
        if (error != std::errc() || end != text.data() + 2) return none;
        text.remove_prefix(2);
    }
    return moment;
}

}  // namespace zcrxlab
