// ExecOutcome: how a program in the guest ended, as a function of what the guest reported.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "vm/watch/watch.hpp"

namespace zcrxlab {

enum class ExecEnd {
    kExited,
    kSignalled,
    kOutOfMemory,  // the guest's OOM killer took it
    kTimedOut,     // it still ran when its time was over
    kEndedByUs,    // its peer was done, and it had not ended by itself
    kRefused,      // it was never started
    kGuestLost,    // panic, hang or loss of the whole guest, or Ctrl-C; the watch says which
};
// "exited", "signalled", "out_of_memory" ...
std::string_view name_of(ExecEnd end);

class ExecOutcome {
  public:
    // kProgram and kKernelLog records as they come. What makes no sense is left out.
    void program(std::string_view json);
    void kernel_log(std::string_view json);

    bool started() const { return started_; }
    ExecEnd end(const Watch& watch) const;
    // Sentences for a person who knows the program as `name`; none if it exited, and nothing else
    // is to be said. `memory` and `timeout` are what the options were.
    std::vector<std::string> sentences(const Watch& watch, const std::string& name,
                                       const std::string& memory, unsigned timeout) const;
    nlohmann::json to_json(const Watch& watch) const;

  private:
    bool started_ = false, ended_ = false, timed_out_ = false, asked_ = false;
    std::string refused_;
    int exit_ = 0, signal_ = 0;
    int64_t pid_ = -1;
    double seconds_ = 0;
    std::vector<std::string> left_;
    std::vector<std::string> missing_modules_;
    struct Peer {
        bool wanted = false, started = false, killed = false, ended = false;
        int exit = 0;
        std::string error;
    } peer_;
    struct Victim {
        int64_t pid;
        std::string name;
    };
    std::vector<Victim> victims_;  // of the OOM killer
};

// The victim in a line of the kernel log: "Out of memory: Killed process 123 (name) ..."; pid -1 if
// there is none.
std::pair<int64_t, std::string> oom_victim(std::string_view line);

}  // namespace zcrxlab
