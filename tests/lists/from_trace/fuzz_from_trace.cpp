// Makes a list of whatever trace is fed: it is refused with a sentence, or the parser takes it.
#include <cstdlib>

#include "lists/from_trace/from_trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const auto events = events_of_test({reinterpret_cast<const char*>(data), size}, "");
    if (!events) return 0;
    const Result<ActionList> list = list_from_trace(*events);
    if (!list && list.error().sentence.empty()) std::abort();
    return 0;
}
