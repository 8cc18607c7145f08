// Machine: the processes of a VM (QEMU and the emulated NIC), run and watched to the end; several
// side by side if need be.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"
#include "harness/trace/record.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

struct Machine {
    // QEMU's command; records go to descriptor kRecordsDescriptor, a socket, on which they are
    // answered, too; the console goes to stdout.
    std::vector<std::string> qemu;
    // Where `qemu` goes on from a saved guest: the command that boots one. If the saved guest is
    // over before its first record, it is forgotten, and the machine starts again with this.
    std::vector<std::string> qemu_that_boots = {};
    std::function<void()> forget_saved = {};
    // The emulated NIC's process; none if empty. It is ready once `control` answers.
    std::vector<std::string> nic;
    std::filesystem::path control;
    std::vector<FaultRule> faults;  // given to the NIC before QEMU starts
    // What the NIC prints goes here; the file may exist.
    std::filesystem::path nic_log;
    // Programs that serve folders to the guest, each ready once its socket is there.
    struct FileServer {
        std::vector<std::string> command;
        std::filesystem::path socket;
    };
    std::vector<FileServer> file_servers;
    std::filesystem::path file_server_log;  // what they print
    bool interactive = false;               // QEMU gets our terminal, and there are no records
};

inline constexpr int kRecordsDescriptor = 3;
// For VmSettings::records.
inline constexpr const char* kRecordsSocket = "socket,fd=3";

// Called as things arrive, between telling `watch` and waiting again.
struct MachineCallbacks {
    // All but verdicts that do not count, because this machine stood still.
    std::function<void(const Record&)> record;
    // What the guest is told after kTurn, a line without its end; none: an empty one.
    std::function<std::string()> turn;
    // This scenario was not judged, because this machine stood still, and is to run once more.
    // Before the turn behind it, where that is possible.
    std::function<void(const std::string& name)> again;
    std::function<void(std::string_view)> console;
    std::function<void(std::string_view)> qemu_error;
    // A sentence for people about something that went wrong and was mended.
    std::function<void(const std::string&)> note;
    // The processes run: their ids (the NIC's is -1 if there is none). Once, before the first
    // record.
    std::function<void(pid_t qemu, pid_t nic)> started;
    // Before the first record, too: the way on which records come is one to the guest, and this is
    // an end of it that does not block. Without this, the guest is told nothing but its turns.
    std::function<void(Fd)> way_in;
    // The guest is over, the processes still run.
    std::function<void()> ending;
    // A signal that asks us to stop; true if it was passed on and is not to end the machine.
    std::function<bool(int number)> signal;
};

// Starts everything, returns when `watch` is over and all of it is gone: at most two seconds after
// that. SIGINT, SIGTERM and SIGHUP end it. An Error means that it could not be started; EINVAL is a
// fault rule that the NIC refuses.
Result<void> run_machine(const Machine& machine, Watch& watch, const MachineCallbacks& callbacks);

// All of it is borrowed.
struct MachineRun {
    const Machine* machine;
    Watch* watch;
    const MachineCallbacks* callbacks;
};
// The same for several at once, none of them interactive. A signal ends all of them, the end of one
// ends no other. An Error (one could not be started) leaves none behind.
Result<void> run_machines(std::span<const MachineRun> runs);

}  // namespace zcrxlab
