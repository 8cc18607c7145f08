// Events as JSON: one object per event with its fields by name; DMA log entries as rows of numbers.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/trace/event_fields.hpp"
#include "harness/trace/event_json.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

// ---- writing: straight into text. A run writes hundreds of thousands of events in an emulated
// guest.

void write_value(std::string& out, bool value) {
    out += value ? "true" : "false";
}

template <typename T>
requires(std::is_integral_v<T>) void write_value(std::string& out, T value) {
    std::array<char, 24> digits;
    // Not as a character, which std::to_chars takes an int8_t for.
    using Number = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<Number>(value));
    out.append(digits.data(), end.ptr);
}

void write_value(std::string& out, double value) {
    out += Json(value).dump();
}

void write_value(std::string& out, std::string_view value) {
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    if (std::ranges::all_of(value, plain)) {
        out.append(1, '"').append(value).append(1, '"');
    } else {
        out += json_text(Json(value));
    }
}

void write_value(std::string& out, const std::string& value) {
    write_value(out, std::string_view(value));
}

template <typename T>
void write_value(std::string& out, const std::optional<T>& value) {
    if (value)
        write_value(out, *value);
    else
        out += "null";
}

template <typename Reason>
requires(std::is_enum_v<Reason>) void write_value(std::string& out, Reason reason) {
    write_value(out, row_of_reason(reason).name);
}

// One row per entry, in the order of DmaLogEntry: logs are long.
void write_value(std::string& out, const DmaLogEntry& e) {
    char before = '[';
    const auto put = [&](auto value) {
        out += before;
        write_value(out, value);
        before = ',';
    };
    put(e.sequence.get());
    put(e.address.get());
    put(e.packet.get());
    put(e.length.get());
    put(e.flow.get());
    put(e.tcp_sequence.get());
    put(e.fault.get());
    put(e.queue.get());
    put(e.port);
    put(static_cast<unsigned>(e.kind));
    put(e.payload_offset.get());
    put(e.written.get());
    put(e.posted.get());
    out += ']';
}

void write_value(std::string& out, const DmaLogFlow& f) {
    out += Json({{"flow", f.flow.get()},
                 {"initial_sequence", f.initial_sequence.get()},
                 {"source", std::to_array(f.source)},
                 {"destination", std::to_array(f.destination)},
                 {"source_port", f.source_port.get()},
                 {"destination_port", f.destination_port.get()},
                 {"family", f.family},
                 {"has_syn", f.has_syn}})
               .dump();
}

template <typename T>
void write_value(std::string& out, const std::vector<T>& list) {
    char before = '[';
    if (list.empty()) out += before;
    for (const T& value : list) {
        out += before;
        write_value(out, value);
        before = ',';
    }
    out += ']';
}

// ---- reading: each read() sets `value` and returns what was wrong with `from`, or nothing

using Wrong = std::optional<std::string>;

Wrong read(const Json& from, DmaLogEntry& e);
Wrong read(const Json& from, DmaLogFlow& f);

template <typename T>
requires(std::is_unsigned_v<T> && !std::is_same_v<T, bool>) Wrong read(const Json& from, T& value) {
    if (!from.is_number_unsigned()) return "is not a whole number of 0 or more";
    const std::optional<T> number = get<T>(from);
    if (!number)
        return "is " + json_text(from) + ", more than " +
               std::to_string(std::numeric_limits<T>::max());
    value = *number;
    return {};
}

template <typename T>
requires(std::is_signed_v<T>&& std::is_integral_v<T>) Wrong read(const Json& from, T& value) {
    if (!from.is_number_integer()) return "is not a whole number";
    const std::optional<T> number = get<T>(from);
    if (!number) return "is out of range";
    value = *number;
    return {};
}

Wrong read(const Json& from, bool& value) {
    if (!from.is_boolean()) return "is not true or false";
    value = from.get<bool>();
    return {};
}

Wrong read(const Json& from, double& value) {
    if (!from.is_number()) return "is not a number";
    value = from.get<double>();
    return {};
}

Wrong read(const Json& from, std::string& value) {
    if (!from.is_string()) return "is not a string";
    value = from.get_ref<const std::string&>();
    return {};
}

template <typename Reason>
requires(std::is_enum_v<Reason>) Wrong read(const Json& from, Reason& value) {
    std::string name;
    if (Wrong wrong = read(from, name)) return wrong;
    for (const auto& row : rows_of(Reason{}))
        if (row.name == name) {
            value = row.reason;
            return {};
        }
    return "is the unknown reason '" + name + "'";
}

template <typename T>
Wrong read(const Json& from, std::optional<T>& value) {
    if (from.is_null()) {
        value.reset();
        return {};
    }
    return read(from, value.emplace());
}

template <typename T, std::endian Order>
Wrong read(const Json& from, Ordered<T, Order>& value) {
    T number{};
    Wrong wrong = read(from, number);
    value = number;
    return wrong;
}

template <typename T>
Wrong read(const Json& from, std::vector<T>& value) {
    if (!from.is_array()) return "is not a list";
    value.clear();
    value.reserve(from.size());
    for (const Json& item : from)
        if (Wrong wrong = read(item, value.emplace_back()))
            return "has an item " + std::to_string(value.size() - 1) + " that " + *wrong;
    return {};
}

Wrong read(const Json& from, DmaLogEntry& e) {
    constexpr size_t kColumns = 13;
    constexpr size_t kColumnsWithoutTimes = 11;  // of traces from before there were any
    if (!from.is_array() || (from.size() != kColumns && from.size() != kColumnsWithoutTimes))
        return "is not a row of 13 numbers";
    uint8_t kind = 0;
    size_t column = 0;
    Wrong wrong;
    const auto take = [&](auto& field) {
        if (!wrong) wrong = read(from[column], field);
        ++column;
    };
    take(e.sequence);
    take(e.address);
    take(e.packet);
    take(e.length);
    take(e.flow);
    take(e.tcp_sequence);
    take(e.fault);
    take(e.queue);
    take(e.port);
    take(kind);
    take(e.payload_offset);
    e.written = e.posted = 0;
    if (from.size() == kColumns) {
        take(e.written);
        take(e.posted);
    }
    e.kind = static_cast<DmaKind>(kind);
    if (!wrong && (kind < 1 || kind > 3)) wrong = "has the unknown kind " + std::to_string(kind);
    return wrong;
}

template <size_t N>
Wrong read(const Json& from, uint8_t (&value)[N]) {
    if (!from.is_array() || from.size() != N)
        return "is not a list of " + std::to_string(N) + " bytes";
    for (size_t i = 0; i < N; ++i)
        if (Wrong wrong = read(from[i], value[i])) return wrong;
    return {};
}

// The field `name` of `object`, which must be there.
template <typename T>
Wrong read_field(const Json& object, const char* name, T& value) {
    const auto found = object.find(name);
    if (found == object.end()) return "lacks the field '" + std::string(name) + "'";
    if (Wrong wrong = read(*found, value))
        return "has a field '" + std::string(name) + "' that " + *wrong;
    return {};
}

Wrong read(const Json& from, DmaLogFlow& f) {
    if (!from.is_object()) return "is not an object";
    f.reserved = 0;
    Wrong wrong;
    const auto take = [&](const char* name, auto& field) {
        if (!wrong) wrong = read_field(from, name, field);
    };
    take("flow", f.flow);
    take("initial_sequence", f.initial_sequence);
    take("source", f.source);
    take("destination", f.destination);
    take("source_port", f.source_port);
    take("destination_port", f.destination_port);
    take("family", f.family);
    take("has_syn", f.has_syn);
    return wrong;
}

template <typename Body>
Wrong read_body(const Json& object, EventBody& into) {
    Body body;
    Wrong wrong;
    each_field(body, [&](const char* name, auto& field) {
        if (!wrong && (object.contains(name) || !may_be_missing(name)))
            wrong = read_field(object, name, field);
    });
    into = std::move(body);
    return wrong;
}

// Tries the alternatives of EventBody by name.
template <size_t I = 0>
Wrong read_named(const std::string& name, const Json& object, EventBody& into) {
    if constexpr (I < std::variant_size_v<EventBody>) {
        using Body = std::variant_alternative_t<I, EventBody>;
        static_assert(!kEventName<Body>.empty(), "give the event its name in event_fields.hpp");
        if (name == kEventName<Body>) return read_body<Body>(object, into);
        return read_named<I + 1>(name, object, into);
    } else {
        return "is of the unknown kind '" + name + "'";
    }
}

}  // namespace

std::string to_json(const Event& event) {
    std::string out = "{\"t\":";
    write_value(out, event.nanoseconds);
    if (event.thread != 0) {
        out += ",\"thread\":";
        write_value(out, event.thread);
    }
    std::visit(
        [&](const auto& body) {
            out.append(",\"event\":\"")
                .append(kEventName<std::decay_t<decltype(body)>>)
                .append(1, '"');
            each_field(body, [&](const char* name, const auto& field) {
                out.append(",\"").append(name).append("\":");
                write_value(out, field);
            });
        },
        event.body);
    out += '}';
    return out;
}

Result<Event> event_from_json(std::string_view line) {
    const Result<Json> object = parse_json(line);
    if (!object) return Error{EINVAL, "an event of the trace is not JSON"};
    return event_from_json(*object);
}

Result<Event> event_from_json(const Json& object) {
    const auto wrong_event = [](const std::string& what) {
        return Error{EINVAL, "an event of the trace " + what};
    };
    if (object.is_discarded()) return wrong_event("is not JSON");
    if (!object.is_object()) return wrong_event("is not an object");
    Event event;
    std::string name;
    if (Wrong wrong = read_field(object, "t", event.nanoseconds)) return wrong_event(*wrong);
    if (Wrong wrong = read_field(object, "event", name)) return wrong_event(*wrong);
    if (object.contains("thread"))
        if (Wrong wrong = read_field(object, "thread", event.thread)) return wrong_event(*wrong);
    if (Wrong wrong = read_named(name, object, event.body))
        return wrong_event(*wrong + " (" + name + ")");
    return event;
}

}  // namespace zcrxlab
