// Makes a list of whatever trace is fed: it is refused with a sentence, or the parser takes it.
//
// reaches 60 % of lists/from_trace/from_trace.cpp
// reaches 80 % of lists/from_trace/returns_seen.cpp
// reaches 65 % of lists/from_trace/sends_seen.cpp
// reaches 50 % of lists/from_trace/trace_file.cpp
// reaches 55 % of lists/from_trace/trace_reader.cpp
// reaches 70 % of lists/from_trace/trace_reader_streams.cpp
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
