// Reads arbitrary text as an event; what is accepted must survive writing and reading again.
#include <cstdlib>

#include "harness/trace/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const auto event = event_from_json({reinterpret_cast<const char*>(data), size});
    if (!event) {
        if (event.error().sentence.empty()) std::abort();
        return 0;
    }
    if (describe(*event).empty() && !std::holds_alternative<Note>(event->body)) std::abort();
    const std::string once = to_json(*event);
    const auto again = event_from_json(once);
    if (!again || to_json(*again) != once) std::abort();
    return 0;
}
