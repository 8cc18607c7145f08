// zcrx-nic: two emulated NICs of one model back to back, each served to QEMU over vfio-user.
//
// One thread, one epoll loop: both vfio-user servers, the control channel, a timer for delayed
// packets, signals, and what tells that the parent is gone.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/control/commands.hpp"
#include "nic/control/device_log.hpp"
#include "nic/control/fault_file.hpp"
#include "nic/control/server.hpp"
#include "nic/models/models.hpp"
#include "nic/mutation.hpp"
#include "nic/physical_witness.hpp"
#include "nic/transport/server.hpp"
#include "nic/wire/cable.hpp"

namespace zcrxlab::nic {
namespace {

constexpr uint64_t kFlushInterval = 200000000;  // nanoseconds between flushes of the capture

constexpr const char* kFooter = R"(
Port 0 is the receiver under test, port 1 its peer; which is which is up to the
guest. Each port waits for one QEMU, as in:
  -device '{"driver":"vfio-user-pci","rombar":0,"socket":{"type":"unix","path":"PATH"}}'
with guest memory shared: -object memory-backend-memfd,id=mem,size=1G,share=on
-machine q35,memory-backend=mem.

Examples:
  zcrx-nic --dir /tmp/nic
  zcrx-nic --socket a.sock --socket b.sock --control nic.control --pcap wire.pcapng
  echo '{"what":"drop","match":{"probability":0.01,"seed":7}}' > loss
  zcrx-nic --dir /tmp/nic --faults loss
  echo '{"do":"counters"}' | nc -N -U /tmp/nic/control.sock

Exit codes: 0 ended by a signal, or QEMU or the parent went; 1 something failed;
64 usage.)";

struct Options {
    std::vector<std::string> sockets;
    std::string directory;
    std::string control;
    std::string capture;
    uint32_t snap = 128;
    uint64_t capture_size = 1024;                  // MiB
    uint64_t rsc_hold = FlowLimits{}.hold / 1000;  // microseconds
    std::string log;
    std::string faults;
    std::string mac = "02:00:00:00:00:01";
    const ModelRow* model = &models().front();
    uint16_t queues = ModelConfig{}.queues;
    std::string mutation;
    int parent_fd = -1;
    int parent_pid = 0;
};

uint64_t nanoseconds(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t monotonic() {
    return nanoseconds(CLOCK_MONOTONIC);
}

Result<std::array<uint8_t, 6>> parse_mac(const std::string& text) {
    std::array<uint8_t, 6> mac{};
    std::array<unsigned, 6> parts{};
    int length = 0;
    int count = std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%n", &parts[0], &parts[1],
                            &parts[2], &parts[3], &parts[4], &parts[5], &length);
    if (count != 6 || static_cast<size_t>(length) != text.size() || (parts[0] & 1) != 0)
        return Error{EINVAL, "--mac " + text + " is no address of one machine, such as " +
                                 Options{}.mac + "."};
    for (size_t i = 0; i < mac.size(); ++i) mac[i] = static_cast<uint8_t>(parts[i]);
    return mac;
}

// Everything of one port, in the order in which it depends on each other.
struct Port {
    vfio_user::DmaMap dma;
    vfio_user::IrqVectors irq;
    std::optional<PhysicalWitness> witness;
    std::unique_ptr<NicDevice> device;
    std::optional<MutatedDevice> mutant;  // between the cable and the device
    std::unique_ptr<vfio_user::Server> server;
    bool closed = false;
};

class Program {
  public:
    explicit Program(Options options) : options_(std::move(options)) {}

    Result<void> start();
    // Serves until there is a reason to end; EPROTO or another error if a client broke the rules.
    Result<void> run();

  private:
    Result<void> open_files();
    Result<void> start_port(unsigned number, std::array<uint8_t, 6> mac);
    Result<void> watch_parent();
    Result<void> watch(int fd, std::function<void()> ready);
    void serve(unsigned number);
    void set_timer();
    void note(unsigned port, std::string what, std::string_view text);

    Options options_;
    std::optional<PcapngWriter> capture_;
    std::optional<DeviceLog> log_;
    std::unique_ptr<Cable> cable_;
    std::array<Port, Cable::kPorts> ports_;
    std::unique_ptr<Commands> commands_;
    std::unique_ptr<ControlServer> control_;
    Fd epoll_, signals_, timer_, parent_;
    std::vector<std::function<void()>> ready_;  // by number of the descriptor watched
    uint64_t timer_at_ = kNoDeadline;
    uint64_t flushed_at_ = 0;
    bool ending_ = false;
    std::optional<Error> failure_;
};

void Program::note(unsigned port, std::string what, std::string_view text) {
    log_->write({monotonic(), port, std::move(what), std::string(text), 0});
}

Result<void> Program::open_files() {
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    Fd log(options_.log.empty() ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                                : ::open(options_.log.c_str(), flags | O_APPEND, 0644));
    if (!log) return error_from_errno("open the log " + options_.log);
    log_.emplace(std::move(log));
    if (options_.capture.empty()) return {};
    Fd file(::open(options_.capture.c_str(), flags, 0644));
    if (!file) return error_from_errno("open " + options_.capture);
    PcapngWriter::Options settings;
    settings.snap = options_.snap;
    settings.maximum_size = options_.capture_size << 20;
    settings.wall_clock_offset = static_cast<int64_t>(nanoseconds(CLOCK_REALTIME) - monotonic());
    auto capture = PcapngWriter::create(std::move(file), settings);
    if (!capture) return capture.error();
    capture_.emplace(std::move(capture).value());
    return {};
}

Result<void> Program::watch(int fd, std::function<void()> ready) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = ready_.size();
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return error_from_errno("epoll_ctl");
    ready_.push_back(std::move(ready));
    return {};
}

Result<void> Program::start_port(unsigned number, std::array<uint8_t, 6> mac) {
    Port& port = ports_[number];
    ModelConfig config;
    config.mac = mac;
    config.queues = options_.queues;
    const Mutation mutation = number == 0 ? find_mutation(options_.mutation) : Mutation::kNone;
    config.mutation = mutation;
    config.log = [this, number](std::string_view text) { note(number, "device", text); };
    config.forbidden = [this, number](Forbidden asked) {
        cable_->forbid(number, std::move(asked));
    };
    port.witness.emplace(cable_->witness(number), port.dma);
    port.device =
        options_.model->make(config, port.dma, port.irq, cable_->port(number), *port.witness);
    cable_->attach(number, port.device.get());
    if (mutation != Mutation::kNone)
        cable_->attach(number, &port.mutant.emplace(mutation, *port.device));
    auto server = vfio_user::Server::listen(
        options_.sockets[number], *port.device, port.dma, port.irq,
        [this, number](const std::string& text) { note(number, "transport", text); });
    if (!server) return server.error();
    port.server = std::move(server).value();
    return watch(port.server->fd(), [this, number] { serve(number); });
}

Result<void> Program::watch_parent() {
    if (options_.parent_pid > 0) {
        parent_.reset(static_cast<int>(::syscall(SYS_pidfd_open, options_.parent_pid, 0)));
        if (!parent_ && errno == ESRCH) {
            ending_ = true;
            return {};
        }
        if (!parent_) return error_from_errno("pidfd_open");
        if (auto watched = watch(parent_.get(), [this] { ending_ = true; }); !watched)
            return watched;
    }
    if (options_.parent_fd < 0) return {};
    return watch(options_.parent_fd, [this] {
        char ignored[256];
        ssize_t count = ::read(options_.parent_fd, ignored, sizeof(ignored));
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) ending_ = true;
    });
}

Result<void> Program::start() {
    auto mac = parse_mac(options_.mac);
    if (!mac) return mac.error();
    if (auto opened = open_files(); !opened) return opened;
    Cable::Options settings;
    settings.clock = monotonic;
    settings.capture = capture_ ? &*capture_ : nullptr;
    settings.on_event = [this](const WireEvent& event) { log_->write(event); };
    settings.flows.hold = options_.rsc_hold * 1000;
    cable_ = std::make_unique<Cable>(std::move(settings));
    if (!options_.faults.empty()) {
        auto rules = load_faults(options_.faults);
        if (!rules) return rules.error();
        for (const FaultRule& rule : *rules) {
            if (auto added = cable_->faults().add(rule); !added) return added.error();
        }
    }

    sigset_t mask;
    sigemptyset(&mask);
    for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&mask, signal);
    ::sigprocmask(SIG_BLOCK, &mask, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    signals_.reset(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!epoll_ || !signals_ || !timer_) return error_from_errno("set up the event loop");
    if (auto watched = watch(signals_.get(), [this] { ending_ = true; }); !watched) return watched;
    auto expired = [this] {
        uint64_t ignored = 0;
        (void)!::read(timer_.get(), &ignored, sizeof(ignored));
        timer_at_ = kNoDeadline;
        cable_->run();
    };
    if (auto watched = watch(timer_.get(), expired); !watched) return watched;
    if (auto watched = watch_parent(); !watched) return watched;

    for (unsigned i = 0; i < Cable::kPorts; ++i) {
        if (auto started = start_port(i, *mac); !started) return started;
        mac->back() = static_cast<uint8_t>(mac->back() + 1);
    }
    auto counters = [this](unsigned port) { return ports_[port].server->counters(); };
    commands_ = std::make_unique<Commands>(*cable_, ZCRXLAB_VERSION, counters);
    if (options_.control.empty()) return {};
    auto control = ControlServer::listen(options_.control, *commands_);
    if (!control) return control.error();
    control_ = std::move(control).value();
    return watch(control_->fd(), [this] { control_->on_readable(); });
}

void Program::serve(unsigned number) {
    Port& port = ports_[number];
    if (port.closed) return;
    auto state = port.server->on_readable();
    if (!state) {
        note(number, "transport", state.error().sentence);
        failure_ =
            Error{state.error().code, fmt::format("port {}: {}", number, state.error().sentence)};
    }
    if (port.server->state() != vfio_user::Server::State::kClosed) return;
    port.closed = true;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, port.server->fd(), nullptr);
    // QEMU never connects again. A port that nobody has connected to yet will not see one either,
    // when the other's has gone.
    ending_ = true;
    for (const Port& one : ports_) {
        if (one.server->state() == vfio_user::Server::State::kConnected) ending_ = false;
    }
}

void Program::set_timer() {
    uint64_t next = cable_->next_deadline();
    if (next == timer_at_) return;
    timer_at_ = next;
    itimerspec when{};
    if (next != kNoDeadline) {
        // A time of zero would disarm it.
        uint64_t at = next == 0 ? 1 : next;
        when.it_value.tv_sec = static_cast<time_t>(at / 1000000000);
        when.it_value.tv_nsec = static_cast<long>(at % 1000000000);
    }
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

Result<void> Program::run() {
    while (!ending_) {
        // Devices go on between messages, of which none has to wait for all of their work.
        bool working = false;
        for (Port& port : ports_) {
            if (port.closed || !port.device->has_work()) continue;
            port.device->work();
            working = working || port.device->has_work();
        }
        bool dirty = capture_ && capture_->dirty();
        const int pause = working ? 0 : dirty ? static_cast<int>(kFlushInterval / 1000000) : -1;
        std::array<epoll_event, 16> events{};
        int count =
            ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), pause);
        if (count < 0 && errno != EINTR) return error_from_errno("epoll_wait");
        for (int i = 0; i < count; ++i) ready_[events[static_cast<size_t>(i)].data.u64]();
        set_timer();
        if (dirty && monotonic() - flushed_at_ >= kFlushInterval) {
            capture_->flush();
            flushed_at_ = monotonic();
        }
    }
    if (capture_) {
        capture_->flush();
        if (capture_->error()) note(0, "capture", capture_->error()->sentence);
        if (capture_->lost() != 0)
            note(0, "capture", fmt::format("{} packets found no room", capture_->lost()));
    }
    if (failure_) return *failure_;
    return {};
}

int usage(const std::string& sentence) {
    fmt::print(stderr, "zcrx-nic: {} See zcrx-nic --help.\n", sentence);
    return kExitUsage;
}

}  // namespace
}  // namespace zcrxlab::nic

int main(int argc, char** argv) {
    using namespace zcrxlab::nic;
    Options options;
    CLI::App app("Two emulated NICs joined by a cable, for QEMU's vfio-user-pci device.");
    app.name("zcrx-nic");
    app.footer(kFooter);
    app.set_version_flag("--version", std::string("zcrx-nic ") + ZCRXLAB_VERSION);
    app.add_option("--socket,--port", options.sockets, "UNIX socket of a port; twice, port 0 first")
        ->type_name("PATH")
        ->allow_extra_args(false);
    app.add_option("--dir", options.directory,
                   "make port0.sock, port1.sock and control.sock in this folder")
        ->type_name("DIR");
    app.add_option("--control", options.control, "UNIX socket of the control channel")
        ->type_name("PATH");
    app.add_option("--pcap", options.capture, "capture the wire into this pcapng file")
        ->type_name("FILE");
    app.add_option("--snap", options.snap, "bytes captured of each frame, 0 = all")
        ->capture_default_str();
    app.add_option("--pcap-size", options.capture_size, "largest capture in MiB")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--log", options.log, "device log, JSON lines (default: standard error)")
        ->type_name("FILE");
    app.add_option("--faults", options.faults,
                   "fault rules from the start: a JSON array, or one a line")
        ->type_name("FILE");
    std::string model(options.model->name);
    std::vector<std::string> model_names;
    for (const ModelRow& row : models()) model_names.emplace_back(row.name);
    app.add_option("--model", model, "what both NICs are; --models lists them")
        ->type_name("NAME")
        ->capture_default_str()
        ->check(CLI::IsMember(model_names).description(""));
    app.add_flag_callback(
        "--models",
        [] {
            for (const ModelRow& row : models())
                fmt::print("{:<18} {:04x}:{:04x} {}\n", row.name, row.vendor, row.device,
                           row.sentence);
            throw CLI::Success();
        },
        "list the models that there are");
    app.add_option("--mac", options.mac, "address of port 0; port 1 has the next one")
        ->capture_default_str();
    app.add_option("--queues", options.queues, "pairs of queues a driver starts with")
        ->capture_default_str();
    app.add_option("--rsc-hold", options.rsc_hold,
                   "microseconds for which a segment may wait to be joined to the next one")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--parent-pid", options.parent_pid, "end when this process ends")
        ->type_name("PID");
    app.add_option("--parent-fd", options.parent_fd,
                   "end when the other end of this descriptor is closed")
        ->type_name("FD");
    app.add_option("--mutation", options.mutation,
                   "a mistake that port 0 makes on purpose; --mutations lists them")
        ->type_name("NAME");
    bool list_mutations = false;
    app.add_flag("--mutations", list_mutations, "list the mistakes that the model can make");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? zcrxlab::kExitPassed : zcrxlab::kExitUsage;
    }
    options.model = find_model(model);
    const auto mutations = mutations_of(*options.model);
    if (list_mutations) {
        for (const MutationText& text : mutations)
            fmt::print("{:<18} {}\n", text.name, text.sentence);
        return 0;
    }
    if (!options.mutation.empty() &&
        std::ranges::find(mutations, options.mutation, &MutationText::name) == mutations.end())
        return usage(
            fmt::format("--mutation {} is none that {} can make.", options.mutation, model));
    if (options.queues < 1 || options.queues > options.model->most_queues)
        return usage(fmt::format("--queues {} is not from 1 to {}.", options.queues,
                                 options.model->most_queues));
    if (!options.directory.empty()) {
        if (!options.sockets.empty()) return usage("--dir and --socket exclude each other.");
        if (::mkdir(options.directory.c_str(), 0700) != 0 && errno != EEXIST)
            return usage(zcrxlab::error_from_errno("mkdir " + options.directory).sentence + ".");
        for (const char* name : {"/port0.sock", "/port1.sock"})
            options.sockets.push_back(options.directory + name);
        if (options.control.empty()) options.control = options.directory + "/control.sock";
    }
    if (options.sockets.size() != Cable::kPorts)
        return usage("Two ports are needed: --dir DIR, or --socket PATH twice.");

    Program program(std::move(options));
    auto done = program.start();
    if (done) done = program.run();
    if (done) return 0;
    fmt::print(stderr, "zcrx-nic: {}\n", done.error().sentence);
    return 1;
}
