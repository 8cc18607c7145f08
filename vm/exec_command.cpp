// zcrxlab exec: any program of this machine in the VM, connected to us as if it ran here.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/report/report.hpp"
#include "vm/audience.hpp"
#include "vm/boot/guest_input.hpp"
#include "vm/boot/machine.hpp"
#include "vm/commands.hpp"
#include "vm/exec_job.hpp"
#include "vm/exec_outcome.hpp"
#include "vm/prepare.hpp"
#include "vm/results_folder.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kExitLost = 255;
// So long before the end of its time the program is killed, so that its guest can still tell of it;
// a guest that cannot is at fault itself.
constexpr seconds kLastWords{3};

// One program, from the VM's start to its end.
class ExecRun {
  public:
    ExecRun(const ExecOptions& options, ResultsFolder& out, const PreparedVm& vm,
            GuestStreams streams, GuestInput& input)
        : options_(options),
          out_(out),
          vm_(vm),
          raw_(streams == GuestStreams::kTerminal),
          input_(input),
          watch_(bounds(), steady_clock::now()),
          audience_(out, options.vm.verbose, [this](const Record& record) { hear(record); }) {}

    int run() {
        input_.time_up_at(steady_clock::now() + bounds().total - kLastWords);
        MachineEars ears = audience_.ears();
        ears.way_in = [this](Fd guest) { input_.start(std::move(guest)); };
        ears.signal = [this](int number) { return pass_on(number); };
        ears.ending = [this] { input_.stop(); };
        if (auto ran = run_machine(vm_.machine, watch_, ears); !ran) return fail(ran.error());
        return report();
    }

  private:
    WatchBounds bounds() const {
        WatchBounds bounds;
        bounds.total = seconds(options_.vm.timeout);
        bounds.silence = bounds.total;
        return bounds;
    }

    void hear(const Record& record) {
        if (record.type == RecordType::kOutput) show(record.json);
        if (record.type == RecordType::kKernelLog) outcome_.kernel_log(record.json);
        if (record.type != RecordType::kProgram) return;
        const Json json = Json::parse(record.json, nullptr, false);
        if (json.is_object() && json.value("event", "") == "taken" && json.contains("bytes") &&
            json["bytes"].is_number_unsigned())
            return input_.taken(json["bytes"].get<uint64_t>());
        const bool ran = outcome_.started();
        outcome_.program(record.json);
        if (!ran && outcome_.started()) input_.program_started();
    }

    void show(std::string_view bytes) {
        if (bytes.empty()) return;
        const auto stream = static_cast<RecordStream>(bytes.front());
        bytes.remove_prefix(1);
        if (stream == RecordStream::kPeer) {
            if (!peer_log_.is_open()) peer_log_.open(out_.file("peer.log"), std::ios::binary);
            peer_log_ << bytes << std::flush;
        }
        std::FILE* const where = stream == RecordStream::kOutput ? stdout : stderr;
        // A raw terminal does not begin lines at the left by itself; only the program's end does.
        if (raw_ && stream == RecordStream::kPeer) {
            for (const char c : bytes) {
                if (c == '\n') std::fputc('\r', where);
                std::fputc(c, where);
            }
        } else {
            std::fwrite(bytes.data(), 1, bytes.size(), where);
        }
        std::fflush(where);
    }

    // Whoever wants us gone wants the guest gone; but Ctrl-C is the program's, the first time.
    bool pass_on(int number) {
        if (number != SIGINT || !outcome_.started() || passed_on_ || input_.given_up())
            return false;
        passed_on_ = true;
        const char byte = static_cast<char>(number);
        input_.send(RecordType::kSignal, std::string_view(&byte, 1));
        return true;
    }

    int report() {
        RunSummary run = watch_.summary(steady_clock::now());
        run.nic = options_.vm.nic;
        run.seed = options_.vm.seed;
        if (auto written = out_.finish_logs(); !written) return fail(written.error());
        if (auto written = out_.write_reports(run); !written) return fail(written.error());
        const bool done = watch_.state() == VmState::kDone;
        const int code = done ? watch_.program_exit().value_or(kExitLost) : exit_code(run);
        Json json = outcome_.to_json(watch_);
        json["program"] = options_.arguments;
        json["kernel"] = run.kernel;
        json["nic"] = run.nic;
        json["exit_code"] = code;
        const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
        if (auto written = out_.write("exec.json", text); !written) return fail(written.error());
        for (const std::string& sentence : outcome_.sentences(
                 watch_, options_.arguments.front(), options_.vm.memory, options_.vm.timeout))
            fmt::print(stderr, "zcrxlab: {}\n", sentence);
        if (!done)
            fmt::print(stderr, "zcrxlab: {}\n{}", watch_.reason(), audience_.last_words(watch_));
        return code;
    }

    const ExecOptions& options_;
    ResultsFolder& out_;
    const PreparedVm& vm_;
    const bool raw_;
    GuestInput& input_;
    Watch watch_;
    ExecOutcome outcome_;
    Audience audience_;
    std::ofstream peer_log_;
    bool passed_on_ = false;
};

}  // namespace

int exec_command(const ExecOptions& options) {
    const Progress progress = progress_for_people();
    Result<GuestJob> job = exec_job(options);
    if (!job) return fail(job.error(), exit_code_of_refusal(job.error()));
    if (auto added = add_own_programs(*job); !added) return fail(added.error());
    Result<ResultsFolder> out = ResultsFolder::open(options.vm.out);
    if (!out) return fail(out.error());
    const Result<PreparedVm> vm = prepare_vm(options.vm, *job, *out, progress);
    if (!vm) return fail(vm.error());
    for (const std::string& note : vm->notes) progress(note);
    const std::string by_hand = command_by_hand(*vm);
    if (auto written = out->write("qemu-command.txt", by_hand); !written)
        return fail(written.error());
    if (options.vm.print_command) {
        fmt::print("{}", by_hand);
        return 0;
    }
    const GuestStreams streams = job->session.streams;
    auto input = GuestInput::create(streams == GuestStreams::kTerminal);
    if (!input) return fail(input.error());
    (*input)->send(RecordType::kEnvironment, exec_environment(options, vm->host_files));
    return ExecRun(options, *out, *vm, streams, **input).run();
}

}  // namespace zcrxlab
