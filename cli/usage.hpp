// What is said about a command line that cannot be read.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace zcrxlab {

// How this program was called, as a person can type it: also where only "run" was built so far,
// which is a program of its own.
std::string called_as();

// Sentences that name what is wrong, with the nearest command or option that there is, and the
// command that says more. `app` is the one that was parsed.
std::string usage_text(const CLI::App& app, const CLI::ParseError& error);

}  // namespace zcrxlab
