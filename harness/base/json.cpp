// Parses JSON whose depth is known before anything is built of it.
#include "harness/base/json.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

// How many arrays and objects lie inside each other at the deepest place of a JSON text; of what is
// no JSON, a number that says nothing.
size_t depth_of(std::string_view text) {
    size_t depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

template <typename J>
Result<J> parsed(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        return Error{EFBIG, "it has " + std::to_string(text.size()) + " bytes of JSON, and " +
                                std::to_string(limits.bytes) + " are allowed"};
    if (depth_of(text) > limits.depth)
        return Error{
            EINVAL, "it is JSON of more than " + std::to_string(limits.depth) + " levels, or none"};
    J json = J::parse(text, nullptr, false);
    if (json.is_discarded()) return Error{EINVAL, "it is no JSON"};
    return json;
}

template <typename J>
Result<J> object_of(Result<J> json) {
    if (json && !json->is_object()) return Error{EINVAL, "it is no JSON object"};
    return json;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits) {
    return parsed<nlohmann::json>(text, limits);
}

Result<nlohmann::json> parse_json_object(std::string_view text, const JsonLimits& limits) {
    return object_of(parse_json(text, limits));
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, const JsonLimits& limits) {
    return parsed<nlohmann::ordered_json>(text, limits);
}

Result<nlohmann::ordered_json> parse_ordered_json_object(std::string_view text,
                                                         const JsonLimits& limits) {
    return object_of(parse_ordered_json(text, limits));
}

std::string json_text(const nlohmann::json& json, int indent) {
    return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace zcrxlab
