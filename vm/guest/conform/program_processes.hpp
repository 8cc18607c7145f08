// The processes of the program under test: all that are no kernel threads, not init, and not we.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace zcrxlab {

std::vector<pid_t> program_processes();
// To each of them; one that is gone by now is no error.
void signal_program(int number);
// What they have together.
struct ProgramUse {
    uint64_t memory = 0;  // bytes of their own in memory: RssAnon
    uint64_t files = 0;   // open descriptors
};
ProgramUse use_of_program();
// For so long they have had a processor.
std::chrono::milliseconds time_of_program();

}  // namespace zcrxlab
