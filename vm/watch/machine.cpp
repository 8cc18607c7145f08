// Runs the processes of VMs in one poll loop.
#include "vm/watch/machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include "harness/base/child_process.hpp"
#include "harness/base/defer.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/pipe.hpp"
#include "harness/base/stop_signals.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/host_pause.hpp"
#include "vm/watch/nic_process.hpp"

namespace zcrxlab {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// How long QEMU may take to power off once the guest is done, and the NIC to write its files.
constexpr milliseconds kPowerOffBound{1'500};
constexpr milliseconds kNicStopBound{400};
// From QEMU's closing its files to its end.
constexpr milliseconds kQemuEndBound{500};
constexpr milliseconds kFileServerBound{10'000};
// So often each process is looked at, whether it was stopped.
constexpr milliseconds kLongestWait{500};
// QEMU waits 5 s for the answer to a message (hw/vfio-user/proxy.c, wait_time), of which some have
// passed before a stop is seen.
constexpr milliseconds kQemuWaits{4'000};

Result<Pipe> large_pipe() {
    Result<Pipe> pipe = Pipe::create(EmptyPipe::kSaysAgain);
    // A larger one makes fewer stops for the guest; it works without.
    if (pipe) ::fcntl(pipe->writing.get(), F_SETPIPE_SZ, 1 << 20);
    return pipe;
}

// A pair of sockets: ours, and what QEMU gets.
struct Wire {
    Fd ours, its;

    static Result<Wire> create() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            return error_from_errno("socketpair");
        ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
        return Wire{Fd(ends[0]), Fd(ends[1])};
    }
};

// The processes of one VM, from their start until nothing of them is left.
class RunningVm {
  public:
    explicit RunningVm(const MachineRun& run)
        : machine_(*run.machine),
          watch_(*run.watch),
          callbacks_(*run.callbacks),
          lines_([this](const std::string& line) { watch_.console_line(line, now()); }),
          saved_(!run.machine->qemu_that_boots.empty()) {}

    // This machine did, with all that runs on it.
    void stood_still(const HostPause& pause) {
        if (powering_off_) return;
        watch_.stood_still(pause);
        if (callbacks_.note) callbacks_.note("Note: " + text_of(pause) + ".");
    }

    Result<void> start() {
        if (auto started = start_device(); !started) return started;
        if (auto started = start_file_servers(); !started) return started;
        if (auto started = start_qemu(); !started) return started;
        if (callbacks_.started) callbacks_.started(qemu_->pid(), nic_ ? nic_->pid() : -1);
        return {};
    }

    bool gone() const { return gone_; }
    void interrupt(int number) {
        if (!callbacks_.signal || !callbacks_.signal(number)) watch_.interrupted(now());
    }

    // When turn() is due at the latest.
    Watch::Time deadline() const { return powering_off_ ? *powering_off_ : watch_.deadline(); }

    static constexpr size_t kDescriptors = 5;
    void add_descriptors(std::vector<pollfd>& list) {
        list.push_back({qemu_status_ ? -1 : qemu_->pidfd(), POLLIN, 0});
        list.push_back({nic_ && !nic_gone_ ? nic_->pidfd() : -1, POLLIN, 0});
        for (const Fd* fd : {&console_, &records_, &qemu_error_})
            list.push_back({fd->get(), POLLIN, 0});
    }

    // Something may have happened; `polled` is what add_descriptors() added. An Error: it was to
    // start again, and could not.
    Result<void> turn(std::span<const pollfd> polled) {
        look_for_stops();
        drain();
        // The NIC's process ends by itself, without an error, when QEMU closes its sockets, and
        // QEMU is not quite gone then.
        const bool nic_ended = polled[1].revents != 0 && nic_->status();
        if (nic_ended && *nic_->status() == 0) qemu_->wait(kQemuEndBound);
        if (!qemu_status_ && (qemu_status_ = qemu_->status())) {
            // What it said before it ended explains its end.
            drain();
            watch_.qemu_ended(describe_status(*qemu_status_), now());
        }
        if (nic_ended) {
            nic_gone_ = true;
            watch_.device_ended(describe_status(*nic_->status()), now());
        }
        watch_.tick(now());
        if (watch_.died_of_pause(now())) return boot_another();
        if (saved_ && watch_.over(now()) && !watch_.until_ready() &&
            watch_.state() != VmState::kInterrupted)
            return boot_instead();
        end_if_over();
        return {};
    }

  private:
    static Watch::Time now() { return steady_clock::now(); }

    // A driver gives up for good a device that does not answer, and QEMU a process. So where the
    // NIC stands still, the whole machine does; if it was for too long, the guest has lost its NIC.
    void look_for_stops() {
        // At every turn while something is stopped: what was said behind it comes with its end.
        if (now() < next_look_) return;
        const bool nic_stopped = nic_ && !nic_->status() && is_stopped(nic_->pid());
        if (nic_stopped != qemu_held_) qemu_->signal(nic_stopped ? SIGSTOP : SIGCONT);
        qemu_held_ = nic_stopped;
        const bool qemu_stopped = !qemu_held_ && !qemu_->status() && is_stopped(qemu_->pid());
        if (const auto pause = qemu_stops_.look(qemu_stopped, now())) stood_still(*pause);
        if (const auto pause = nic_stops_.look(nic_stopped, now())) {
            stood_still(*pause);
            if (pause->length > kQemuWaits)
                watch_.device_ended(
                    fmt::format("was stopped for {:.1f} s, longer than QEMU waits for an answer,",
                                std::chrono::duration<double>(pause->length).count()),
                    now());
        }
        if (!nic_stopped && !qemu_stopped) next_look_ = now() + kLongestWait;
    }

    // The saved guest has said nothing, and never will.
    Result<void> boot_instead() {
        saved_ = false;
        if (machine_.forget_saved) machine_.forget_saved();
        if (callbacks_.note)
            callbacks_.note(
                "The saved guest did not come up, and is thrown away; this one boots. " +
                watch_.reason());
        end_processes();
        watch_.start_again(now());
        return start();
    }

    Result<void> boot_another() {
        saved_ = false;
        if (callbacks_.note)
            callbacks_.note("The guest did not survive the pause; another one boots. " +
                            watch_.reason());
        end_processes();
        watch_.go_on_with_another(now());
        hear_again();
        if (!dealt_.empty() && callbacks_.again) callbacks_.again(dealt_);
        dealt_.clear();
        return start();
    }

    // They can be started anew.
    void end_processes() {
        qemu_->kill_and_collect();
        if (nic_) {
            nic_->signal(SIGTERM);
            nic_->wait(kNicStopBound);
        }
        file_servers_.clear();
        for (const Machine::FileServer& server : machine_.file_servers) {
            std::error_code error;
            std::filesystem::remove(server.socket, error);
        }
        qemu_status_.reset();
        nic_gone_ = qemu_held_ = false;
        reader_ = RecordReader();
        way_is_open_ = false;
    }

    void end_if_over() {
        if (!powering_off_) {
            if (!watch_.over(now())) return;
            if (callbacks_.ending) callbacks_.ending();
            powering_off_ = now() + kPowerOffBound;
        }
        // The guest powers off by itself; its last console lines may still tell of a panic.
        if (watch_.state() == VmState::kDone && !qemu_status_ && now() < *powering_off_) return;
        qemu_->kill_and_collect();
        drain();
        if (nic_) {
            nic_->signal(SIGTERM);
            nic_->wait(kNicStopBound);
        }
        gone_ = true;
    }

    Result<void> start_device() {
        if (machine_.nic.empty()) return {};
        Result<ChildProcess> nic = start_nic(machine_.nic, machine_.control, machine_.nic_log);
        if (!nic) return nic.error();
        nic_ = std::move(*nic);
        for (const FaultRule& rule : machine_.faults)
            if (auto injected = inject_fault(machine_.control, rule); !injected) return injected;
        return {};
    }

    Result<void> start_file_servers() {
        if (machine_.file_servers.empty()) return {};
        const Fd log(::open(machine_.file_server_log.c_str(),
                            O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
        if (!log) return error_from_errno("open " + machine_.file_server_log.string());
        for (const Machine::FileServer& server : machine_.file_servers) {
            ChildOptions options;
            options.arguments = server.command;
            options.output = options.error = log.get();
            Result<ChildProcess> started = ChildProcess::start(options);
            if (!started) return started.error();
            file_servers_.push_back(std::move(*started));
        }
        const auto until = now() + kFileServerBound;
        for (size_t i = 0; i < file_servers_.size(); ++i) {
            std::error_code error;
            while (!std::filesystem::exists(machine_.file_servers[i].socket, error)) {
                if (!file_servers_[i].wait(milliseconds(2)) && now() < until) continue;
                return Error{EIO,
                             "virtiofsd, which shows the guest this machine's files, did not "
                             "get ready; what it said is in " +
                                 machine_.file_server_log.string() + "."};
            }
        }
        return {};
    }

    Result<void> start_qemu() {
        Result<Pipe> error = large_pipe();
        if (!error) return error.error();
        ChildOptions options;
        options.arguments =
            !saved_ && !machine_.qemu_that_boots.empty() ? machine_.qemu_that_boots : machine_.qemu;
        options.error = error->writing.get();
        Pipe console;
        Wire records;
        if (machine_.interactive) {
            options.input = STDIN_FILENO;
            options.output = STDOUT_FILENO;
            options.own_group = false;
        } else {
            Result<Pipe> for_console = large_pipe();
            Result<Wire> for_records = Wire::create();
            if (!for_console) return for_console.error();
            if (!for_records) return for_records.error();
            console = std::move(*for_console);
            records = std::move(*for_records);
            options.output = console.writing.get();
            options.extra = records.its.get();
            options.extra_as = kRecordsDescriptor;
        }
        Result<ChildProcess> qemu = ChildProcess::start(options);
        if (!qemu) return qemu.error();
        qemu_ = std::move(*qemu);
        console_ = std::move(console.reading);
        records_ = std::move(records.ours);
        qemu_error_ = std::move(error->reading);
        return {};
    }

    void drain() {
        // Records first: a guest that has panicked sends none, so that all of them came before.
        drain_records();
        read_all(console_, [this](std::string_view bytes) {
            if (callbacks_.console) callbacks_.console(bytes);
            lines_.feed(bytes);
        });
        read_all(qemu_error_, [this](std::string_view bytes) {
            if (callbacks_.qemu_error) callbacks_.qemu_error(bytes);
        });
    }

    void drain_records() {
        read_all(records_, [this](std::string_view bytes) {
            reader_.feed(std::as_bytes(std::span(bytes)));
            for (;;) {
                Result<std::optional<Record>> record = reader_.next();
                if (!record) {
                    watch_.records_broken(record.error(), now());
                    return;
                }
                if (!*record) return;
                open_way_in();
                watch_.record(**record, now());
                if (callbacks_.record && !watch_.withdrawn()) callbacks_.record(**record);
                hear_again();
                if ((*record)->type == RecordType::kTestStarted) dealt_.clear();
                if ((*record)->type == RecordType::kTurn) {
                    dealt_ = callbacks_.turn ? callbacks_.turn() : "";
                    answer(dealt_);
                }
            }
        });
    }

    void hear_again() {
        while (const auto name = watch_.take_again())
            if (callbacks_.again) callbacks_.again(*name);
    }

    // Once: what is written before the guest's first word is lost with a saved guest that has none.
    void open_way_in() {
        if (!callbacks_.way_in || way_is_open_) return;
        way_is_open_ = true;
        Fd way_in(::fcntl(records_.get(), F_DUPFD_CLOEXEC, 0));
        if (!way_in) return watch_.records_broken(error_from_errno("duplicate a socket"), now());
        callbacks_.way_in(std::move(way_in));
    }

    // A guest that asks without reading what it is told is one that makes no sense.
    void answer(std::string line) {
        line += '\n';
        const ssize_t sent = ::send(records_.get(), line.data(), line.size(), MSG_NOSIGNAL);
        if (sent != static_cast<ssize_t>(line.size()))
            watch_.records_broken({EPROTO, "it asks what is next, and does not listen"}, now());
    }

    // At most a few pages a turn, so that a flood on one of them cannot starve the others.
    template <typename Take>
    void read_all(Fd& fd, Take take) {
        for (int turn = 0; fd && turn < 16; ++turn) {
            const ssize_t got = ::read(fd.get(), chunk_.data(), chunk_.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return;
            if (got == 0) return fd.reset();
            take(std::string_view(chunk_.data(), static_cast<size_t>(got)));
        }
    }

    const Machine& machine_;
    Watch& watch_;
    const MachineCallbacks& callbacks_;
    ConsoleLines lines_;
    RecordReader reader_;
    bool saved_;  // it goes on from a saved guest
    bool way_is_open_ = false;
    std::string dealt_;  // told to the guest, and not started
    // In this order: QEMU goes before the device that it talks to.
    std::optional<ChildProcess> nic_;
    std::vector<ChildProcess> file_servers_;
    std::optional<ChildProcess> qemu_;
    std::optional<int> qemu_status_;
    ProcessStops qemu_stops_{"QEMU"}, nic_stops_{"the emulated NIC"};
    Watch::Time next_look_{};
    bool qemu_held_ = false;  // because the NIC is stopped
    bool nic_gone_ = false;
    std::optional<Watch::Time> powering_off_;  // since the watch is over: until when
    bool gone_ = false;
    Fd console_, records_, qemu_error_;
    std::array<char, 65536> chunk_{};
};

// Runs all of them side by side until the last one is gone.
Result<void> run_all(std::span<const MachineRun> runs) {
    const StopSignals signals;
    std::vector<std::unique_ptr<RunningVm>> vms;
    for (const MachineRun& run : runs) {
        vms.push_back(std::make_unique<RunningVm>(run));
        if (auto started = vms.back()->start(); !started) return started;
    }
    // Looked at before each turn, so that no turn takes a pause for the silence of its guest.
    HostClocks last = host_clocks();
    const auto look = [&](milliseconds longest) {
        const HostClocks clocks = host_clocks();
        if (const auto pause = pause_between(last, clocks, longest))
            for (const auto& vm : vms) vm->stood_still(*pause);
        last = clocks;
    };
    std::vector<pollfd> waiting;
    for (;;) {
        std::erase_if(vms, [](const auto& vm) { return vm->gone(); });
        if (vms.empty()) return {};
        Watch::Time until = Watch::Time::max();
        waiting.assign({{signals.fd(), POLLIN, 0}});
        for (const auto& vm : vms) {
            vm->add_descriptors(waiting);
            until = std::min(until, vm->deadline());
        }
        const milliseconds longest =
            std::clamp(std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()),
                       milliseconds(0), kLongestWait);
        ::poll(waiting.data(), waiting.size(), static_cast<int>(longest.count()));
        look(longest);
        const std::optional<int> stop =
            waiting[0].revents != 0 ? signals.take() : std::optional<int>();
        for (size_t i = 0; i < vms.size(); ++i) {
            if (stop) vms[i]->interrupt(*stop);
            const auto polled = std::span(waiting).subspan(1 + i * RunningVm::kDescriptors,
                                                           RunningVm::kDescriptors);
            look(milliseconds(0));
            if (auto turned = vms[i]->turn(polled); !turned) return turned;
        }
    }
}

}  // namespace

Result<void> run_machine(const Machine& machine, Watch& watch, const MachineCallbacks& callbacks) {
    // QEMU leaves the terminal raw if it is killed.
    termios terminal{};
    const bool restore = machine.interactive && ::tcgetattr(STDIN_FILENO, &terminal) == 0;
    const Defer undo([&] {
        if (restore) ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    });
    const MachineRun run{&machine, &watch, &callbacks};
    return run_all(std::span(&run, 1));
}

Result<void> run_machines(std::span<const MachineRun> runs) {
    return run_all(runs);
}

}  // namespace zcrxlab
