// Reads arbitrary text, and good events with a piece of arbitrary text in them; what is accepted
// must survive writing and reading again.
//
// reaches 35 % of harness/trace/event_json.cpp
// reaches 58 % of harness/trace/describe.cpp
#include <cstdlib>

#include "harness/trace/trace.hpp"

namespace {

using namespace zcrxlab;

// One line for each kind of event, with its default values and one item in each list.
template <size_t... I>
std::vector<std::string> lines(std::index_sequence<I...>) {
    std::vector<std::string> all = {to_json({1, std::variant_alternative_t<I, EventBody>{}})...};
    DmaWrites log{.entries = {DmaLogEntry{}}, .flows = {DmaLogFlow{}}};
    log.entries[0].kind = DmaKind::kPayload;
    all.push_back(to_json({1, log}));
    all.push_back(to_json({1, AreaRegistered{.pages = {4096}}}));
    all.push_back(to_json({1, NicCompared{.before = {"a"}, .after = {"b"}}}));
    return all;
}

void read(std::string_view line) {
    const auto event = event_from_json(line);
    if (!event) {
        if (event.error().sentence.empty()) std::abort();
        return;
    }
    const bool may_be_empty = std::holds_alternative<Note>(event->body);
    if (describe(*event).empty() && !may_be_empty) std::abort();
    const std::string once = to_json(*event);
    const auto again = event_from_json(once);
    if (!again || to_json(*again) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<std::string> kLines =
        lines(std::make_index_sequence<std::variant_size_v<EventBody>>());
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read(text);
    if (size < 4) return 0;
    // Which line, where in it, how much of it goes; the rest comes in its place.
    std::string line = kLines[data[0] % kLines.size()];
    const size_t at = data[1] % line.size();
    line.replace(at, data[2] % 32, text.substr(3));
    read(line);
    return 0;
}
