// zcrx-init: the first process of a guest. Sets the guest up as its plan says, runs one program,
// tells the host how it ended, and powers off.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/kernel_profiles.hpp"
#include "harness/trace/record.hpp"
#include "vm/boot/guest_plan.hpp"
#include "vm/boot/init/netdevsim.hpp"
#include "vm/boot/init/network.hpp"
#include "vm/boot/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr int kPortMilliseconds = 10'000;
// The program's exit code where init itself failed; the host calls such a guest lost.
constexpr int kInitFailed = 255;

// A JSON string. Bytes above 0x7f become the code point of the same number, so that any bytes can
// be carried; the host turns them back.
std::string quoted(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == '"' || byte == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20 || byte > 0x7e) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
            text += escape.data();
        } else {
            text += c;
        }
    }
    return text + "\"";
}

double uptime_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

class Guest {
  public:
    // From a bare kernel to the end of the program; its exit code.
    Result<int> run() {
        if (auto mounted = mount_everything(); !mounted) return mounted.error();
        const Result<std::string> text = read_whole(kGuestPlanPath);
        if (!text) return text.error();
        Result<GuestPlan> plan = guest_plan_from_text(*text);
        if (!plan) return plan.error();
        plan_ = std::move(*plan);
        if (plan_.arguments.empty()) {
            std::puts(kBareBootLine);
            return 0;
        }
        if (auto started = start_all_cpus(); !started) return started.error();
        // Before the drivers: what interfaces get as defaults is decided when they appear.
        if (auto prepared = prepare_namespace(); !prepared) return prepared.error();
        for (const std::string& module : plan_.modules)
            if (auto loaded = load_module(module); !loaded) return loaded.error();
        if (auto opened = open_ports(); !opened) return opened.error();
        say_hello();
        for (const GuestPair& pair : plan_.pairs)
            if (auto configured = add_pair(pair); !configured) return configured.error();
        const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
        send_kernel_log();
        Result<int> code = run_program();
        send_profiles();
        return code;
    }

    void say_done(int code, const std::string& failure) {
        send_kernel_log(",\"complete\":true");
        std::string json = "{\"exit\":" + std::to_string(code);
        if (!failure.empty()) json += ",\"error\":" + quoted(failure);
        send(RecordType::kDone, json + "}");
    }

  private:
    Result<void> open_ports() {
        if (plan_.interactive) return {};
        const Result<std::string> records = find_port(kRecordsPort, kPortMilliseconds);
        if (!records) return records.error();
        // Two cannot write to it at once: either the program sends records itself and inherits the
        // descriptor, or init sends what it prints.
        records_.reset(::open(records->c_str(), O_RDWR | (plan_.capture_output ? O_CLOEXEC : 0)));
        if (!records_) return error_from_errno("open " + *records);
        if (!plan_.capture_output)
            environment_.push_back("ZCRXLAB_RECORDS_FD=" + std::to_string(records_.get()));
        // From the kernel's command line, so that the same image runs without a host that answers.
        if (const char* turns = std::getenv(kTurnsVariable); turns != nullptr)
            environment_.push_back(std::string(kTurnsVariable) + "=" + turns);
        return {};
    }

    void say_hello() {
        utsname kernel{};
        ::uname(&kernel);
        send(RecordType::kHello, std::string("{\"kernel\":") + quoted(kernel.release) +
                                     ",\"seconds\":" + std::to_string(uptime_seconds()) + "}");
    }

    Result<void> add_pair(const GuestPair& pair) {
        const Result<PairInterfaces> names = configure_pair(pair);
        if (!names) return names.error();
        if (&pair == &plan_.pairs.front()) {
            environment_.push_back("NETIF=" + names->receiver);
            environment_.push_back("LOCAL_V4=" + pair.local_v4);
            environment_.push_back("LOCAL_V6=" + pair.local_v6);
            environment_.push_back("REMOTE_V4=" + pair.peer_v4);
            environment_.push_back("REMOTE_V6=" + pair.peer_v6);
            environment_.push_back("ZCRXLAB_PEER_NETIF=" + names->peer);
            environment_.push_back("ZCRXLAB_PEER_NETNS=" + pair.peer_netns);
        }
        if (is_netdevsim(pair))
            for (const GuestFault& fault : plan_.faults)
                if (auto added = add_netdevsim_fault(pair, fault); !added) return added;
        pairs_ += pair.name + " " + names->receiver + " " + names->peer + " " + pair.peer_netns +
                  " " + pair.local_v4 + " " + pair.peer_v4 + " " + pair.local_v6 + " " +
                  pair.peer_v6 + "\n";
        return {};
    }

    Result<int> run_program() {
        Launch launch;
        launch.arguments = plan_.arguments;
        launch.terminal = plan_.interactive;
        launch.environment = environment_;
        for (const auto& [name, value] : plan_.environment)
            launch.environment.push_back(std::string(name).append("=").append(value));
        if (!pairs_.empty()) launch.environment.push_back("ZCRXLAB_PAIRS=" + pairs_);
        if (const auto control = find_port(kControlPort, 0); control)
            launch.environment.push_back("ZCRXLAB_CONTROL=" + *control);

        sigset_t child_signal;
        ::sigemptyset(&child_signal);
        ::sigaddset(&child_signal, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child_signal, nullptr);
        Fd children(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
        std::array<int, 2> ends{-1, -1};
        if (plan_.capture_output && ::pipe2(ends.data(), O_CLOEXEC) != 0)
            return error_from_errno("pipe");
        Fd output(ends[0]);
        Fd writing(ends[1]);
        launch.output = writing.get();
        const Result<pid_t> pid = start_program(launch);
        if (!pid) return pid.error();
        writing.reset();
        return wait_for(*pid, children, output);
    }

    // Forwards the program's output until the program itself has ended; what it left running goes
    // down with the guest.
    int wait_for(pid_t pid, const Fd& children, const Fd& output) {
        for (;;) {
            std::array<pollfd, 2> waiting{{{children.get(), POLLIN, 0}, {output.get(), POLLIN, 0}}};
            ::poll(waiting.data(), waiting.size(), -1);
            signalfd_siginfo ignored{};
            while (::read(children.get(), &ignored, sizeof(ignored)) > 0) {
            }
            const int code = reap(pid);
            if (code >= 0 && output) ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
            while (output && (code >= 0 || waiting[1].revents != 0)) {
                std::array<char, 16384> chunk{};
                const ssize_t got = ::read(output.get(), chunk.data(), chunk.size());
                if (got <= 0) break;
                send(RecordType::kNotice,
                     "{\"output\":" +
                         quoted(std::string_view(chunk.data(), static_cast<size_t>(got))) + "}");
                if (code < 0) break;
            }
            if (code >= 0) return code;
            // All writers are gone but the program lives: only its end is of interest now.
            if ((waiting[1].revents & POLLHUP) != 0) return wait_for(pid, children, Fd());
        }
    }

    // The lines since the last time; `more` are further fields of the record.
    void send_kernel_log(const std::string& more = "") {
        if (!records_) return;
        const std::vector<std::string> lines = log_.take();
        std::string json = "{\"lines\":[";
        for (const std::string& line : lines)
            json += (&line == &lines.front() ? "" : ",") + quoted(line);
        send(RecordType::kKernelLog, json + "]" + more + "}");
    }

    // What the program made the kernel run, if it counts that.
    void send_profiles() {
        if (!records_) return;
        for_each_profile(kKernelProfiles,
                         [this](const std::string& object, const std::string& hex) {
                             send(RecordType::kProfile,
                                  "{\"object\":" + quoted(object) + ",\"hex\":\"" + hex + "\"}");
                         });
    }

    void send(RecordType type, const std::string& json) {
        if (!records_) return;
        const std::vector<std::byte> bytes = encode_record(type, json);
        for (size_t sent = 0; sent < bytes.size();) {
            const ssize_t put = ::write(records_.get(), bytes.data() + sent, bytes.size() - sent);
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) return;  // the host is gone, and so will we be
            sent += static_cast<size_t>(put);
        }
    }

    GuestPlan plan_;
    Fd records_;
    KernelLog log_;
    std::vector<std::string> environment_;
    std::string pairs_;
};

}  // namespace

}  // namespace zcrxlab

int main() {
    zcrxlab::Guest guest;
    const zcrxlab::Result<int> code = guest.run();
    if (!code) std::fprintf(stderr, "zcrx-init: %s\n", code.error().sentence.c_str());
    guest.say_done(code ? *code : zcrxlab::kInitFailed,
                   code ? std::string() : code.error().sentence);
    zcrxlab::power_off();
}
