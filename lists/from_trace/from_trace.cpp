// FromTrace: takes the actions of a list from its trace; TraceReader makes them for other traces.
#include "lists/from_trace/from_trace.hpp"

#include "lists/from_trace/trace_reader.hpp"

namespace zcrxlab {

Result<ActionList> list_from_trace(const std::vector<Event>& events) {
    // A list says itself what was done.
    std::string lines;
    for (const Event& event : events)
        if (const auto* done = std::get_if<ActionDone>(&event.body);
            done != nullptr && done->of_list)
            lines += done->action + "\n";
    if (lines.empty()) return TraceReader(events).read();
    Result<ActionList> list = actions_from_text(lines);
    if (list) list->comments = {"made from a trace"};
    return list;
}

}  // namespace zcrxlab
