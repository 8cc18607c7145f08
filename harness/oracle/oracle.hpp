// The oracle: the invariants I1 to I9 as pure functions over a trace.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/trace/event.hpp"

namespace zcrxlab {

enum class Invariant { kI1 = 1, kI2, kI3, kI4, kI5, kI6, kI7, kI8, kI9 };

// "I4", and the sentence that the README has for it.
std::string name_of(Invariant invariant);
std::string promise_of(Invariant invariant);

struct Violation {
    Invariant invariant;
    size_t event = 0;      // index of the event at which it shows
    std::string sentence;  // what was expected and what was seen
};

using Events = std::span<const Event>;

// Each returns what breaks its invariant, oldest first; empty means that it holds.
std::vector<Violation> check_stream(Events events);        // I1
std::vector<Violation> check_completions(Events events);   // I2
std::vector<Violation> check_held_memory(Events events);   // I3
std::vector<Violation> check_zero_copy(Events events);     // I4
std::vector<Violation> check_conservation(Events events);  // I5
std::vector<Violation> check_teardown(Events events);      // I6
std::vector<Violation> check_kernel_log(Events events);    // I7
std::vector<Violation> check_nic(Events events);           // I8
std::vector<Violation> check_errors(Events events);        // I9

// All of them.
std::vector<Violation> check_all(Events events);

}  // namespace zcrxlab
