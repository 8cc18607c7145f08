// NicProcess: the emulated NIC as a child process, started and asked over its control channel.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/child_process.hpp"
#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"

namespace zcrxlab {

// Files of one NIC process.
struct NicFiles {
    std::filesystem::path receiver_socket, peer_socket, control_socket;
    std::filesystem::path capture;  // pcapng
    std::filesystem::path log;
};

// Two NICs of one of the program's models. `rsc_hold`: for how long a segment may wait to be joined
// to the next one.
std::vector<std::string> nic_command(const std::filesystem::path& program, std::string_view model,
                                     const NicFiles& files, std::chrono::microseconds rsc_hold);

// One command on a control channel and its answer, each a line of JSON. ETIMEDOUT if there is none
// in time.
Result<std::string> ask_nic(const std::filesystem::path& control, const std::string& line,
                            std::chrono::milliseconds bound);

// Starts the process with its output in `log` and waits until it answers. EIO with the end of its
// output if it dies first.
Result<ChildProcess> start_nic(const std::vector<std::string>& command,
                               const std::filesystem::path& control,
                               const std::filesystem::path& log);

// Gives it a fault rule. EINVAL with what it says against the rule.
Result<void> inject_fault(const std::filesystem::path& control, const FaultRule& rule);

}  // namespace zcrxlab
