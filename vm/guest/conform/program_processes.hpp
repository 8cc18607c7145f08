// The processes of the program under test: all that are no kernel threads, not init, and not in our
// network namespace, where we and a client of the program are.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace zcrxlab {

// Its network namespace is the program's.
inline constexpr pid_t kInitOfGuest = 1;

std::vector<pid_t> program_processes();
// To each of them; one that is gone by now is no error.
void signal_program(int number);
// What they have together.
struct ProgramUse {
    uint64_t memory = 0;  // bytes of their own in memory: RssAnon
    uint64_t files = 0;   // open descriptors
};
ProgramUse use_of_program();
// They stand still for nine tenths of the time, until `done`.
void slow_program_down(const std::function<bool()>& done);
// Stops it, at last where it waits for what nobody has sent yet, with nothing to submit: there a
// signal shows as EINTR. Somebody has to let it go on.
void halt_program_where_it_waits();
// They are watched for about so long: for how long it really was, and for how much of it they had a
// processor, in milliseconds.
struct ProgramTime {
    uint64_t watched = 0, busy = 0;
};
ProgramTime watch_program(std::chrono::milliseconds duration);

// What else is in our network namespace: a client of the program, with all that it has started.
void signal_beside_us(int number);
// Kills all of it, until nothing is left or 2 s, scaled, have passed.
void end_beside_us();

}  // namespace zcrxlab
