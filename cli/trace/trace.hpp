// zcrxlab trace: shows what happened in the scenarios of a run, as text or as a page.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct TraceOptions {
    std::string file;    // a trace.jsonl, or the folder of a run
    std::string test;    // a pattern; "" = all
    std::string html;    // write a page there in place of text
    std::string around;  // "failure": only what is next to one; "" = all
    bool full = false;   // fold nothing
};

void add_trace_options(CLI::App& app, TraceOptions& options);
std::string trace_manual();
// 0 if there was something to show, whatever it was.
int trace_command(const TraceOptions& options);

}  // namespace zcrxlab
