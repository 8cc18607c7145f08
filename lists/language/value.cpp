// Values: parses the values of arguments, and prints them.
#include "lists/language/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {

namespace {

constexpr std::array<std::pair<std::string_view, unsigned>, 3> kUnits = {
    {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
constexpr size_t kMostNumbers = 64;
constexpr int kHighestErrno = 133;

Error wrong(const Parameter& parameter, std::string_view text, const std::string& right) {
    return Error{EINVAL, std::string(parameter.name) + "=" + std::string(text) + ": " + right};
}

Result<uint64_t> number_from(const Parameter& parameter, std::string_view text) {
    std::string_view digits = text;
    unsigned shift = 0;
    for (const auto& [unit, bits] : kUnits) {
        if (!digits.ends_with(unit)) continue;
        digits.remove_suffix(unit.size());
        shift = bits;
        break;
    }
    const bool hexadecimal = digits.starts_with("0x");
    if (hexadecimal) digits.remove_prefix(2);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                              hexadecimal ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
        return wrong(parameter, text, "a number is like 4096, 4KiB or 0x10");
    if (number > UINT64_MAX >> shift) return wrong(parameter, text, "the number is too large");
    number <<= shift;
    if (number < parameter.least || number > parameter.most)
        return wrong(parameter, text,
                     "the number must be between " + std::to_string(parameter.least) + " and " +
                         std::to_string(parameter.most));
    return number;
}

}  // namespace

Result<int> errno_from_name(std::string_view name) {
    if (name == "success") return 0;
    if (name == "any") return kAnyErrno;
    for (int code = 1; code <= kHighestErrno; ++code)
        if (errno_name(code) == name && std::isupper(static_cast<unsigned char>(name[0])) != 0)
            return code;
    return Error{EINVAL,
                 "\"" + std::string(name) + "\" is no errno; like this: EINVAL, success, any"};
}

std::string size_text(uint64_t number) {
    if (number != 0)
        for (const auto& [unit, bits] : kUnits)
            if (number % (uint64_t{1} << bits) == 0)
                return std::to_string(number >> bits) + std::string(unit);
    return std::to_string(number);
}

bool is_name(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && text.size() <= 32 && letter(text[0]) &&
           std::ranges::all_of(
               text, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

Result<Argument> argument_from_text(const Parameter& parameter, std::string_view text) {
    Argument argument{&parameter, {}, {}};
    switch (parameter.kind) {
        case ValueKind::kNumber: {
            const Result<uint64_t> number = number_from(parameter, text);
            if (!number) return number.error();
            argument.numbers = {*number};
            return argument;
        }
        case ValueKind::kNumbers: {
            std::string_view rest = text;
            do {
                const size_t end = std::min(rest.find(','), rest.size());
                const Result<uint64_t> number = number_from(parameter, rest.substr(0, end));
                if (!number) return number.error();
                argument.numbers.push_back(*number);
                if (argument.numbers.size() > kMostNumbers)
                    return wrong(parameter, text, "these are too many numbers");
                if (end == rest.size()) break;
                rest.remove_prefix(end + 1);
            } while (true);
            return argument;
        }
        case ValueKind::kWord: {
            const auto words = words_of(parameter);
            if (std::ranges::find(words, text) == words.end())
                return wrong(parameter, text, "there are " + std::string(parameter.words));
            break;
        }
        case ValueKind::kErrno:
            if (const Result<int> code = errno_from_name(text); !code)
                return wrong(parameter, text, code.error().sentence);
            break;
        case ValueKind::kName:
            if (!is_name(text))
                return wrong(parameter, text, "a name is letters, digits and _, like r1");
            break;
    }
    argument.word = text;
    return argument;
}

std::string to_text(const Argument& argument) {
    std::string text(argument.parameter->name);
    text += '=';
    if (argument.numbers.empty()) return text + argument.word;
    for (size_t i = 0; i < argument.numbers.size(); ++i)
        text += (i == 0 ? "" : ",") + size_text(argument.numbers[i]);
    return text;
}

}  // namespace zcrxlab
