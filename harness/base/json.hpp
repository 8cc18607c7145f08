// JSON of others: parsed with a bound on its depth and size, each member read by its type.
//
// What a guest, a file or another program wrote may be of any shape. Nothing here throws: what is
// missing or of another type is an empty optional, the value that was named for that case, or an
// empty list. A value parsed here lies at most kJsonDepth deep, so that what is recursive (copying
// and writing it) has enough stack.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct JsonLimits {
    size_t depth = 64;               // arrays and objects inside each other
    size_t bytes = size_t{1} << 30;  // of the text
};

// EINVAL: it is no JSON, or lies deeper; EFBIG: it is larger. The sentence names no source.
Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits = {});
// Also EINVAL: it is no object.
Result<nlohmann::json> parse_json_object(std::string_view text, const JsonLimits& limits = {});
// The same, with the members in the order in which they were written.
Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text,
                                                  const JsonLimits& limits = {});
Result<nlohmann::ordered_json> parse_ordered_json_object(std::string_view text,
                                                         const JsonLimits& limits = {});

// As text, for what holds strings of others: what is no UTF-8 is written as U+FFFD. Without
// `indent` on one line.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

template <typename J>
concept JsonValue = std::same_as<J, nlohmann::json> || std::same_as<J, nlohmann::ordered_json>;

// The value as a T (bool, a number or std::string): nothing if it is of another type, or does not
// fit. An integer is not taken from a number with a fraction or an exponent.
template <typename T, JsonValue J>
std::optional<T> get(const J& value) {
    if constexpr (std::same_as<T, bool>) {
        if (value.is_boolean()) return value.template get<bool>();
    } else if constexpr (std::integral<T>) {
        if (value.is_number_unsigned()) {
            const auto number = value.template get<uint64_t>();
            if (std::in_range<T>(number)) return static_cast<T>(number);
        } else if (value.is_number_integer()) {
            const auto number = value.template get<int64_t>();
            if (std::in_range<T>(number)) return static_cast<T>(number);
        }
    } else if constexpr (std::floating_point<T>) {
        if (value.is_number()) return value.template get<T>();
    } else {
        static_assert(std::same_as<T, std::string>);
        if (value.is_string()) return value.template get_ref<const std::string&>();
    }
    return std::nullopt;
}

// The member `name`; null if there is none, or `object` is none.
template <JsonValue J>
const J* member(const J& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

// The member `name` as a T; nothing if it is not there, or not a T.
template <typename T, JsonValue J>
std::optional<T> get(const J& object, const char* name) {
    const J* found = member(object, name);
    return found == nullptr ? std::nullopt : get<T>(*found);
}

// The same, with a value for the case that there is none.
template <typename T, JsonValue J>
T get_or(const J& object, const char* name, T otherwise) {
    return get<T>(object, name).value_or(std::move(otherwise));
}

// The text `name`; empty if there is none.
template <JsonValue J>
std::string get_text(const J& object, const char* name) {
    return get_or(object, name, std::string());
}

// The array `name`, or the object `name`; an empty one if there is none.
template <JsonValue J>
const J& get_array(const J& object, const char* name) {
    static const J none = J::array();
    const J* found = member(object, name);
    return found != nullptr && found->is_array() ? *found : none;
}
template <JsonValue J>
const J& get_object(const J& object, const char* name) {
    static const J none = J::object();
    const J* found = member(object, name);
    return found != nullptr && found->is_object() ? *found : none;
}

// Those entries of the array `name` that are a T.
template <typename T, JsonValue J>
std::vector<T> get_all(const J& object, const char* name) {
    std::vector<T> all;
    for (const J& entry : get_array(object, name))
        if (std::optional<T> one = get<T>(entry)) all.push_back(std::move(*one));
    return all;
}

}  // namespace zcrxlab
