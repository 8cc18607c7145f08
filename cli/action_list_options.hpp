// Options that several commands share because they run lists of actions.
#pragma once

namespace CLI {
class App;
}

namespace zcrxlab {

// Lists, or runs of a list, that may be asked for at once.
inline constexpr unsigned kMostLists = 1000;

// --batch, in the group of options `group`.
void add_batch_option(CLI::App& app, unsigned& batch, const char* group);

// --lenient, likewise.
void add_lenient_option(CLI::App& app, bool& lenient, const char* group);

}  // namespace zcrxlab
