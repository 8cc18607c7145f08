// zcrx-init: the first process of a guest. Sets the guest up as its plan says, runs one program,
// tells the host how it ended, and powers off.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/environment.hpp"
#include "harness/base/file.hpp"
#include "harness/base/result.hpp"
#include "harness/trace/kernel_profiles.hpp"
#include "harness/trace/record.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/guest/init/companion.hpp"
#include "vm/guest/init/environment.hpp"
#include "vm/guest/init/host_root.hpp"
#include "vm/guest/init/late_image.hpp"
#include "vm/guest/init/launch.hpp"
#include "vm/guest/init/modules_on_demand.hpp"
#include "vm/guest/init/netdevsim.hpp"
#include "vm/guest/init/network.hpp"
#include "vm/guest/init/receive_probe.hpp"
#include "vm/guest/init/record_port.hpp"
#include "vm/guest/init/session.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr int kEnvironmentMilliseconds = 10'000;
constexpr int kProviderMilliseconds = 2'500;
// The program's exit code where init itself failed; the host calls such a guest lost.
constexpr int kInitFailed = 255;

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
        if (auto read = read_plan(); !read) return read.error();
        const bool late = plan_.wait_for_image;
        if (late) {
            if (auto loaded = load_modules(); !loaded) return loaded.error();
            start_probe();
            if (auto there = wait_for_image(); !there) return there.error();
            if (auto read = read_plan(); !read) return read.error();
        }
        if (plan_.arguments.empty()) {
            std::puts(kBareBootLine);
            return 0;
        }
        start_probe();
        if (auto started = start_all_cpus(); !started) return started.error();
        // As long as memory is whole. Who needs them finds out how many there are.
        if (plan_.huge_pages != 0)
            (void)write_value("/proc/sys/vm/nr_hugepages", std::to_string(plan_.huge_pages)).ok();
        // Before the drivers: what interfaces get as defaults is decided when they appear.
        if (auto prepared = prepare_namespace(); !prepared) return prepared.error();
        if (auto loaded = load_modules(); !loaded) return loaded.error();
        if (late)
            if (auto probed = probe_new_devices(); !probed) return probed.error();
        if (auto set = set_parameters(); !set) return set.error();
        const bool streams = plan_.streams != GuestStreams::kNone;
        if (!plan_.interactive)
            if (auto opened = port_.open(!streams); !opened) return opened.error();
        if (auto driven = check_iommu(); !driven) return driven.error();
        if (plan_.huge_pages != 0)
            environment_[environment::kHugePages] = std::to_string(plan_.huge_pages);
        if (port_ && !streams) environment_[environment::kRecordsFd] = std::to_string(port_.fd());
        // Whoever starts the same image by hand says on the kernel's command line that nobody
        // answers.
        if (const char* turns = std::getenv(environment::kTurns); turns != nullptr)
            environment_[environment::kTurns] = turns;
        say_hello();
        for (const GuestPair& pair : plan_.pairs)
            if (auto configured = add_pair(pair); !configured) return configured.error();
        const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
        if (auto entered = enter_host_root(plan_); !entered) return entered.error();
        if (auto offered = offer_modules(plan_); !offered) return offered.error();
        ::sethostname(plan_.host_name.data(), plan_.host_name.size());
        send_kernel_log();
        if (auto complete = complete_environment(); !complete) return complete.error();
        Result<int> code = run_program(streams);
        say_missing_modules();
        send_profiles();
        return code;
    }

    void say_done(int code, const std::string& failure) {
        send_kernel_log(",\"complete\":true");
        std::string json = "{\"exit\":" + std::to_string(code);
        if (!failure.empty()) json += ",\"error\":" + json_string(failure);
        port_.send(RecordType::kDone, json + "}");
    }

  private:
    Result<void> read_plan() {
        const Result<std::string> text = read_file(kGuestPlanPath);
        if (!text) return text.error();
        Result<GuestPlan> plan = guest_plan_from_text(*text);
        if (!plan) return plan.error();
        plan_ = std::move(*plan);
        return {};
    }

    // Once: a guest that was saved has it already. With one CPU the kernel changes its code at less
    // cost.
    void start_probe() {
        if (plan_.count_receives && !probe_) probe_.emplace().start();
    }

    Result<void> load_modules() {
        for (const std::string& module : plan_.modules)
            if (auto loaded = load_module(module); !loaded) return loaded;
        return {};
    }

    Result<void> set_parameters() {
        for (const auto& [module, name, value] : plan_.parameters)
            if (auto set = write_value("/sys/module/" + module + "/parameters/" + name, value);
                !set)
                return set;
        return {};
    }

    void say_hello() {
        utsname kernel{};
        ::uname(&kernel);
        port_.send(RecordType::kHello, std::string("{\"kernel\":") + json_string(kernel.release) +
                                           ",\"seconds\":" + std::to_string(uptime_seconds()) +
                                           "}");
    }

    Result<void> add_pair(const GuestPair& pair) {
        const Result<PairInterfaces> names = configure_pair(pair);
        if (!names) return names.error();
        if (&pair == &plan_.pairs.front()) {
            environment_[environment::kInterface] = names->receiver;
            environment_[environment::kLocalV4] = pair.local_v4;
            environment_[environment::kLocalV6] = pair.local_v6;
            environment_[environment::kRemoteV4] = pair.peer_v4;
            environment_[environment::kRemoteV6] = pair.peer_v6;
            environment_[environment::kPeerInterface] = names->peer;
            environment_[environment::kPeerNamespace] = pair.peer_netns;
            environment_[environment::kRemoteType] = "netns";
            environment_[environment::kRemoteArguments] =
                std::filesystem::path(pair.peer_netns).filename();
        }
        if (is_netdevsim(pair))
            for (const GuestFault& fault : plan_.faults)
                if (auto added = add_netdevsim_fault(pair, fault); !added) return added;
        pairs_ += pair.name + " " + names->receiver + " " + names->peer + " " + pair.peer_netns +
                  " " + pair.local_v4 + " " + pair.peer_v4 + " " + pair.local_v6 + " " +
                  pair.peer_v6 + "\n";
        return {};
    }

    // What init knows goes before what the plan and the host say, and what the preparation finds
    // out before everything.
    Result<void> complete_environment() {
        if (!pairs_.empty()) environment_[environment::kPairs] = pairs_;
        if (const auto control = find_port(kControlPort, 0); control)
            environment_[environment::kControl] = *control;
        std::map<std::string, std::string> all(plan_.environment.begin(), plan_.environment.end());
        if (plan_.wait_for_environment) {
            const auto theirs = wait_for_environment(port_, kEnvironmentMilliseconds);
            if (!theirs) return theirs.error();
            for (const auto& [name, value] : *theirs) all.insert_or_assign(name, value);
        }
        for (const auto& [name, value] : environment_) all.insert_or_assign(name, value);
        environment_ = std::move(all);
        if (plan_.preparation.empty()) return {};
        const auto found = run_preparation(plan_.preparation, environment_lines());
        if (!found)
            return Error{found.error().code,
                         found.error().sentence + " (--bare leaves the NIC as its driver made it)"};
        for (const auto& [name, value] : *found) environment_.insert_or_assign(name, value);
        return {};
    }

    std::vector<std::string> environment_lines() const {
        std::vector<std::string> lines;
        for (const auto& [name, value] : environment_)
            lines.push_back(std::string(name).append("=").append(value));
        return lines;
    }

    Result<int> run_program(bool streams) {
        if (!plan_.rounds.empty()) return run_rounds();
        Result<int> code =
            streams ? Session(plan_, port_, environment_lines(), probe_ ? &*probe_ : nullptr).run()
                    : run_alone();
        if (probe_) say_receives();
        return code;
    }

    // The program with each of its peers; a record {"event":"round","name"} goes before what is
    // told of each.
    Result<int> run_rounds() {
        // A program that cannot listen again at once, since its old connections wait, is not what
        // is looked for.
        if (auto set = write_value("/proc/sys/net/ipv4/tcp_max_tw_buckets", "0"); !set)
            return set.error();
        Result<int> code = 0;
        bool timed_out = false;
        for (const GuestRound& round : plan_.rounds) {
            port_.send(RecordType::kProgram,
                       "{\"event\":\"round\",\"name\":" + json_string(round.name) + "}");
            plan_.peer.arguments = round.peer;
            {
                Result<Companion> before = Companion::start(round.before, environment_lines());
                if (!before) return before.error();
                if (probe_) probe_->clear();
                Session session(plan_, port_, environment_lines(), probe_ ? &*probe_ : nullptr,
                                &round);
                code = session.run();
                timed_out = session.timed_out();
            }
            if (probe_) say_receives();
            send_kernel_log();
            if (!code || timed_out) break;
        }
        return code;
    }

    // A program on the console, which sends its records itself.
    Result<int> run_alone() {
        Launch launch;
        launch.arguments = plan_.arguments;
        launch.console = plan_.interactive;
        launch.environment = environment_lines();
        const Result<pid_t> pid = start_program(launch);
        if (!pid) return pid.error();
        for (;;) {
            int status = 0;
            const pid_t dead = ::waitpid(-1, &status, 0);
            if (dead == *pid) return Ended{dead, status}.code();
            if (dead < 0 && errno != EINTR) return error_from_errno("wait for the program");
        }
    }

    // A ring gives its queue back a moment after its last process is gone.
    void say_receives() {
        wait_until(kProviderMilliseconds, [this] { return probe_->providers() == 0; });
        port_.send(RecordType::kProgram,
                   "{\"event\":\"zcrx\",\"left\":" + std::to_string(probe_->providers()) + "," +
                       probe_->take() + "}");
    }

    void say_missing_modules() {
        std::string names;
        for (const std::string& name : modules_asked_in_vain())
            names += (names.empty() ? "" : ",") + json_string(name);
        if (!names.empty())
            port_.send(RecordType::kProgram, "{\"event\":\"modules\",\"missing\":[" + names + "]}");
    }

    // The lines since the last time; `more` are further fields of the record.
    void send_kernel_log(const std::string& more = "") {
        if (!port_) return;
        const std::vector<std::string> lines = log_.take();
        std::string json = "{\"lines\":[";
        for (const std::string& line : lines)
            json += (&line == &lines.front() ? "" : ",") + json_string(line);
        port_.send(RecordType::kKernelLog, json + "]" + more + "}");
    }

    // What the program made the kernel run, if it counts that.
    void send_profiles() {
        if (!port_) return;
        for_each_profile(
            kKernelProfiles, [this](const std::string& object, const std::string& hex) {
                port_.send(RecordType::kProfile,
                           "{\"object\":" + json_string(object) + ",\"hex\":\"" + hex + "\"}");
            });
    }

    GuestPlan plan_;
    RecordPort port_;
    std::optional<ReceiveProbe> probe_;
    KernelLog log_;
    std::map<std::string, std::string> environment_;
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
