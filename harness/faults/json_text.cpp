// Reads JSON event by event, so that what is wrong with it is found before it is built.
#include "harness/faults/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace zcrxlab {
namespace {

using nlohmann::json;

constexpr size_t kMostQuoted = 80;

// The events of nlohmann::json::sax_parse(); false ends it.
class Builder {
  public:
    explicit Builder(size_t levels) : levels_(levels) {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(int64_t value) { return add(value); }
    bool number_unsigned(uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(json::binary_t&) { return wrong("binary data is no JSON."); }
    bool start_object(size_t) { return open(json::object()); }
    bool end_object() { return close(); }
    bool start_array(size_t) { return open(json::array()); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        json& object = *open_.back();
        if (const auto first = object.find(name); first != object.end())
            return wrong(
                fmt::format("{} stands twice in one object (first as {}); a key can "
                            "stand there once.",
                            short_text(name), short_text(*first)));
        next_ = &object[name];
        return true;
    }
    bool parse_error(size_t position, const std::string&, const json::exception&) {
        return wrong(fmt::format("it is no JSON from byte {} on.", position));
    }

    Result<json> take() {
        if (!error_.empty()) return Error{EINVAL, error_};
        return std::move(root_);
    }

  private:
    bool wrong(std::string sentence) {
        error_ = std::move(sentence);
        return false;
    }
    json* place(json&& value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        if (open_.back()->is_array()) {
            open_.back()->push_back(std::move(value));
            return &open_.back()->back();
        }
        *next_ = std::move(value);
        return next_;
    }
    bool add(json value) {
        place(std::move(value));
        return true;
    }
    bool open(json&& empty) {
        if (open_.size() == levels_)
            return wrong(fmt::format(
                "objects and arrays lie deeper inside each other than {} levels.", levels_));
        open_.push_back(place(std::move(empty)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    size_t levels_;
    json root_;
    std::vector<json*> open_;  // what is not closed yet, the innermost last
    json* next_ = nullptr;     // of the object that is the innermost: where its next value goes
    std::string error_;
};

}  // namespace

Result<json> parse_strict_json(std::string_view text, size_t levels) {
    Builder builder(levels);
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

std::string short_text(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kMostQuoted) text.replace(kMostQuoted, std::string::npos, "...");
    return text;
}

}  // namespace zcrxlab
