// Damages a good trace at will: the oracle must name events that exist, whatever the trace says.
//
// reaches 35 % of harness/oracle/completions.cpp
// reaches 75 % of harness/oracle/conservation.cpp
// reaches 65 % of harness/oracle/dma_index.cpp
// reaches 40 % of harness/oracle/held_memory.cpp
// reaches 85 % of harness/oracle/stream.cpp
// reaches 50 % of harness/oracle/teardown.cpp
// reaches 40 % of harness/oracle/zero_copy.cpp
#include <cstdlib>
#include <cstring>

#include "harness/trace/event_fields.hpp"
#include "tests/harness/oracle/good_trace.hpp"

namespace {

using namespace zcrxlab;

// One change: 1 byte what, 2 bytes which event, 1 byte which field or byte, 8 bytes value.
struct Change {
    uint8_t what = 0;
    uint16_t event = 0;
    uint8_t field = 0;
    uint64_t value = 0;
};
constexpr size_t kChangeBytes = 12;

template <typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void set(T& field, uint64_t value) {
    field = static_cast<T>(value);
}
void set(std::string& field, uint64_t value) {
    field = std::to_string(value);
}
template <typename T>
void set(std::optional<T>& field, uint64_t value) {
    field = static_cast<T>(value);
}
template <typename T>
void set(std::vector<T>& field, uint64_t value) {
    if (field.empty() || value % 16 == 0) {
        field.clear();
        return;
    }
    T& item = field[value / 16 % field.size()];
    if constexpr (std::is_same_v<T, std::string>) {
        item.clear();
    } else {
        // Any byte of the item, which is plain data.
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &item, sizeof(T));
        bytes[(value >> 48) % sizeof(T)] = static_cast<unsigned char>(value >> 40);
        std::memcpy(&item, bytes, sizeof(T));
    }
}

void damage(std::vector<Event>& events, const Change& change) {
    if (events.empty()) return;
    const size_t index = change.event % events.size();
    const auto at = events.begin() + static_cast<std::ptrdiff_t>(index);
    switch (change.what % 8) {
        case 0:
            events.erase(at);
            return;
        case 1:
            events.insert(at, Event(*at));
            return;
        case 2:
            std::swap(*at, events[change.value % events.size()]);
            return;
        default:
            break;
    }
    std::visit(
        [&](auto& body) {
            unsigned count = 0;
            each_field(body, [&](const char*, auto&) { ++count; });
            unsigned number = 0;
            each_field(body, [&](const char*, auto& field) {
                if (number++ == change.field % count) set(field, change.value);
            });
        },
        at->body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<Event> kGood[] = {good_trace(), good_trace({.mixed = true}),
                                               good_trace({.device = false})};
    if (size == 0) return 0;
    std::vector<Event> events = kGood[data[0] % 3];
    constexpr size_t kMostEvents = 1000;
    for (size_t at = 1; at + kChangeBytes <= size && events.size() < kMostEvents;
         at += kChangeBytes) {
        Change change;
        change.what = data[at];
        std::memcpy(&change.event, data + at + 1, sizeof(change.event));
        change.field = data[at + 3];
        std::memcpy(&change.value, data + at + 4, sizeof(change.value));
        damage(events, change);
    }
    for (const Violation& violation : check_all(events))
        if (violation.event >= events.size() || violation.sentence.empty()) std::abort();
    return 0;
}
