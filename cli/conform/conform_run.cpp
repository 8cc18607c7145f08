// Judges each round of the guest as it ends, and reports them all.
#include "cli/conform/conform_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/conform/bugs_of_kernel.hpp"
#include "cli/exec/exec_run.hpp"
#include "cli/report/report.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/base/time_left.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/report/report.hpp"
#include "results/conform/conform_records.hpp"
#include "results/conform/judge.hpp"
#include "results/exec/zcrx_report_text.hpp"
#include "results/run_page/run_page.hpp"
#include "vm/qemu/qemu_command.hpp"
#include "vm/start/cache_damage.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/output_recorder.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

namespace {

using std::chrono::duration;
using std::chrono::seconds;
using std::chrono::steady_clock;

std::string_view driver_of(const std::string& nic) {
    const NicRow* const row = find_nic(nic);
    return row == nullptr ? std::string_view() : row->driver;
}

// Of their names in reports.
constexpr const char* kSuiteOfSituations = "conform.";
constexpr size_t kMostConnectionsOfSituation = 64;

class ConformRun {
  public:
    ConformRun(const PreparedVm& vm, const ConformOptions& options,
               const std::vector<const Situation*>& situations, GuestInput& input,
               ResultsFolder& out)
        : vm_(vm),
          options_(options),
          situations_(situations),
          input_(input),
          out_(out),
          watch_(until_started(), steady_clock::now()),
          recorder_(out, options.program.vm.verbose,
                    [this](const Record& record) { hear(record); }),
          records_([this](const ConformRound& round) { take(round); }),
          bugs_(stalling_bugs(fixed_bugs(), vm.kernel.release, driver_of(options.program.vm.nic))) {
    }

    int run() {
        MachineCallbacks callbacks = recorder_.callbacks();
        callbacks.way_in = [this](Fd guest) { input_.start(std::move(guest)); };
        callbacks.ending = [this] { input_.stop(); };
        if (auto ran = run_machine(vm_.machine, watch_, callbacks); !ran) return fail(ran.error());
        return report();
    }

  private:
    // From then on there is --timeout.
    static WatchBounds until_started() {
        WatchBounds bounds;
        bounds.total = 2 * bounds.boot;
        return bounds;
    }

    void hear(const Record& record) {
        if (record.type == RecordType::kOutput) keep(record.json);
        if (!records_.take(record)) return;
        const auto now = steady_clock::now();
        const seconds allowed(options_.program.vm.timeout);
        watch_.allow(allowed, now);
        input_.time_up_at(now + allowed - kLastWords);
        round_began_ = now;
        progress_.tell(results_.size(), situations_.size(), now);
    }

    void keep(std::string_view bytes) {
        if (bytes.empty()) return;
        const bool peer = static_cast<RecordStream>(bytes.front()) == RecordStream::kPeer;
        bytes.remove_prefix(1);
        std::ofstream& log = peer ? peer_log_ : program_log_;
        if (!log.is_open()) log.open(out_.file(peer ? "peer.log" : "program.log"));
        log << bytes << std::flush;
    }

    void take(ConformRound round) {
        const auto now = steady_clock::now();
        round.queues = options_.program.queues;
        round.with_client = !options_.client.empty();
        round.stalling_bugs = bugs_;
        skip_until(round.situation);
        const ConformVerdict verdict =
            judge(round, check_from(options_.check).value_or(Check::kNone));
        TestResult result{.name = kSuiteOfSituations + std::string(round.situation->name),
                          .status = verdict.status,
                          .seconds = duration<double>(now - round_began_).count(),
                          .message = verdict.sentence};
        // Where reports look for what blocked it.
        if (verdict.status == TestStatus::kBlocked) result.reference = verdict.sentence;
        round_began_ = now;
        say(std::move(result));
        if (verdict.status == TestStatus::kFailed) {
            fmt::print("    In this situation {}.\n",
                       summary_of(*round.situation, round.with_client));
            fmt::print("    {}\n", on_one_line(verdict.sentence));
        }
        std::fflush(stdout);
        progress_.tell(results_.size(), situations_.size(), now);
        counts_ += fmt::format("---- {}\n", round.situation->name);
        for (const std::string& line : in_words(records_.report(), kMostConnectionsOfSituation))
            counts_ += line + "\n";
        if (program_log_.is_open())
            program_log_ << fmt::format("---- the end of {}\n", round.situation->name)
                         << std::flush;
    }

    void say(TestResult result) {
        fmt::print("{}\n", to_line(result));
        results_.push_back(std::move(result));
    }

    static TestResult without_round(const Situation& situation) {
        return {.name = kSuiteOfSituations + std::string(situation.name),
                .status = TestStatus::kSkipped,
                .message =
                    "What our peer sends makes this situation, and with --client the "
                    "program's own client sends."};
    }

    // Says of those before this one, or of all that are left, that they had no round.
    void skip_until(const Situation* next) {
        while (results_.size() < situations_.size()) {
            const Situation& situation = *situations_[results_.size()];
            if (&situation == next || can_be_made(situation, options_)) return;
            say(without_round(situation));
        }
    }

    // For one situation.
    std::string command_again() const {
        const ExecOptions& program = options_.program;
        std::vector<std::string> words{program.self, "conform"};
        const auto add = [&](const char* name, const std::string& value) {
            if (!value.empty()) words.insert(words.end(), {name, value});
        };
        add("--kernel", program.vm.kernel);
        add("--nic", program.vm.nic);
        for (const uint16_t port : program.ports) add("--port", std::to_string(port));
        if (program.queues != 1) add("--queues", std::to_string(program.queues));
        if (options_.check != "none") add("--check", options_.check);
        add("--client", options_.client);
        if (!options_.client.empty())
            add("--client-timeout", std::to_string(options_.client_timeout));
        words.insert(words.end(), {"--filter", std::string(kAgainTest), "--"});
        words.insert(words.end(), program.arguments.begin(), program.arguments.end());
        return quoted_for_shell(words);
    }

    int report() {
        RunSummary run = watch_.summary(steady_clock::now());
        run.nic = options_.program.vm.nic;
        run.seed = options_.program.vm.seed;
        skip_until(nullptr);
        run.tests = results_;
        for (size_t number = results_.size(); number < situations_.size(); ++number) {
            const Situation& situation = *situations_[number];
            if (!can_be_made(situation, options_)) {
                run.tests.push_back(without_round(situation));
                continue;
            }
            run.tests.push_back({.name = kSuiteOfSituations + std::string(situation.name),
                                 .status = TestStatus::kLost,
                                 .message = "The guest did not get so far.",
                                 .reached = Reached::kNothing});
        }
        run.properties.emplace_back(kAgain, command_again());
        std::vector<Error> unwritten;
        for (const auto& written :
             {out_.write_reports(run), out_.finish_logs(), out_.write("zcrx.txt", counts_)})
            if (!written) unwritten.push_back(written.error());
        if (auto page = write_page_if_wanted(run, out_.path(), options_.html); !page)
            unwritten.push_back(page.error());
        fmt::print("{}", to_text(run));
        if (watch_.state() != VmState::kDone) {
            fmt::print(stderr, "zcrxlab: {}\n{}", watch_.reason(), recorder_.last_words(watch_));
            if (watch_.state() != VmState::kInterrupted)
                if (const std::string damage = find_cache_damage(vm_, progress_for_people());
                    !damage.empty())
                    fmt::print(stderr, "zcrxlab: {} The next run fetches it anew.\n", damage);
        }
        for (const Error& error : unwritten) fail(error);
        const int code = conform_exit_code(run);
        return unwritten.empty() ? code : exit_code_of_unwritten(code);
    }

    const PreparedVm& vm_;
    const ConformOptions& options_;
    const std::vector<const Situation*>& situations_;
    GuestInput& input_;
    ResultsFolder& out_;
    Watch watch_;
    OutputRecorder recorder_;
    ConformRecords records_;
    const std::vector<StallingBug> bugs_;
    std::vector<TestResult> results_;
    WorkProgress progress_{"situations", progress_for_people()};
    std::string counts_;  // for zcrx.txt
    std::ofstream program_log_, peer_log_;
    steady_clock::time_point round_began_ = steady_clock::now();
};

}  // namespace

int run_situations_in(const PreparedVm& vm, const ConformOptions& options,
                      const std::vector<const Situation*>& situations, GuestInput& input,
                      ResultsFolder& out) {
    return ConformRun(vm, options, situations, input, out).run();
}

}  // namespace zcrxlab
