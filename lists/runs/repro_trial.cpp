// Compiles a C file, runs it in a VM, and judges exit code and kernel log.
#include "lists/runs/repro_trial.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/nics/nic_table.hpp"
#include "harness/oracle/oracle.hpp"
#include "harness/report/report.hpp"
#include "harness/report/sentences.hpp"
#include "lists/to_c/c_file.hpp"
#include "vm/programs.hpp"
#include "vm/qemu/qemu_command.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "/repro";
constexpr const char* kStart = "/run-repro";
// For a file that wants a NIC: the queue, the flow rule, and the names that it asks for.
constexpr const char* kStartScript = R"(QUEUE=$(zcrx-setup --port 9100) || exit 77
PEER_NETNS=$ZCRXLAB_PEER_NETNS
export QUEUE PEER_NETNS
exec /repro
)";

// Static, so that the guest needs nothing else.
Result<void> build(const fs::path& source, const fs::path& program) {
    const char* named = std::getenv("CC");
    const std::string compiler = named != nullptr && *named != '\0' ? named : "cc";
    if (host_program(compiler).empty())
        return Error{ENOENT, "There is no C compiler \"" + compiler + "\"; type: apt install gcc"};
    const std::string command = quoted_for_shell(
        {compiler, "-O2", "-static", "-pthread", "-o", program.string(), source.string()});
    const int status = std::system(command.c_str());
    if (status == 0) return {};
    return Error{EINVAL, "This failed: " + command};
}

// The first complaint about the kernel log, or nothing.
std::string complaint_in(const fs::path& log) {
    std::ifstream file(log);
    std::vector<Event> events;
    for (std::string line; std::getline(file, line);) events.push_back({0, KernelMessage{4, line}});
    const auto violations = check_kernel_log(events);
    return violations.empty() ? "" : violations.front().sentence;
}

std::string last_line(const std::string& text) {
    const size_t end = text.find_last_not_of("\r\n");
    if (end == std::string::npos) return {};
    const size_t begin = text.rfind('\n', end);
    return on_one_line(text.substr(begin + 1, end - begin));
}

}  // namespace

void judge(const ProgramEnd& end, const std::string& printed, const std::string& complaint,
           ReproTrial& trial) {
    trial.said = last_line(printed);
    const auto also = [&](const std::string& text) {
        trial.said += (trial.said.empty() ? "" : "; ") + on_one_line(text);
    };
    if (end.state == VmState::kDone && end.exit == kExitPassed) trial.verdict = ReproVerdict::kGood;
    if (end.state == VmState::kDone && end.exit == kExitFailed) trial.verdict = ReproVerdict::kBad;
    if (end.state == VmState::kDone && end.exit > kExitFailed && end.exit != kExitReproSkipped)
        also(fmt::format("exit code {}", end.exit));
    if (end.state == VmState::kPanicked) trial.verdict = ReproVerdict::kBad;
    // Each wait of such a program has a bound: who does not let it end is the kernel. One that did
    // not even start it says nothing about it.
    if (end.state == VmState::kTimedOut && end.started) {
        trial.verdict = ReproVerdict::kBad;
        also("neither the program nor the guest came to an end");
    }
    if (end.state != VmState::kDone) also(end.reason);
    if (complaint.empty()) return;
    trial.verdict = ReproVerdict::kBad;
    also(complaint);
}

void judge(const RunSummary& run, ReproTrial& trial) {
    if (!run.kernel.empty()) trial.kernel = run.kernel;
    if (run.tests.empty()) {
        trial.said = on_one_line(run.ending_message);
        return;
    }
    const TestResult& list = run.tests.front();
    trial.said = one_sentence_of(list.message);
    const bool began = list.status != TestStatus::kLost || list.reached != Reached::kNothing;
    const bool took_along =
        began && (run.ending == Ending::kPanicked || run.ending == Ending::kTimeout);
    if (list.status == TestStatus::kFailed || list.status == TestStatus::kKnown || took_along)
        trial.verdict = ReproVerdict::kBad;
    else if (list.status == TestStatus::kPassed)
        trial.verdict = ReproVerdict::kGood;
    if (took_along) trial.said = on_one_line(run.ending_message);
}

std::string_view name_of(ReproVerdict verdict) {
    switch (verdict) {
        case ReproVerdict::kGood:
            return "good";
        case ReproVerdict::kBad:
            return "bad";
        case ReproVerdict::kNotJudged:
            return "cannot be judged";
    }
    return "";
}

Result<void> try_repro(const ReproRunOptions& options, ReproTrial& trial) {
    const Result<std::string> source = read_file(options.file);
    if (!source) return source.error();
    const bool device = wants_device(*source);
    VmOptions vm_options = options.vm;
    vm_options.kernel = trial.kernel;
    if (!device) vm_options.nic = nic_at(NicPlace::kNowhere).name;
    vm_options.out = (options.vm.out.empty() ? fs::path("zcrxlab-repro") : options.vm.out) /
                     (trial.kernel.empty() ? "default" : fs::path(trial.kernel).filename());
    std::error_code error;
    fs::create_directories(vm_options.out, error);
    Result<ResultsFolder> out = ResultsFolder::open(vm_options.out);
    if (!out) return out.error();
    const fs::path program = out->file("repro");
    if (auto built = build(options.file, program); !built) return built;

    GuestJob job;
    job.arguments = {kProgram};
    job.programs = {{program, kProgram}};
    job.tools = true;
    job.session.streams = GuestStreams::kPipes;
    if (device) {
        job.arguments = {"/bin/sh", kStart};
        job.files = {{kStartScript, kStart}};
    }
    const Result<PreparedVm> vm = prepare_vm(vm_options, job, *out, options.progress);
    if (!vm) return vm.error();
    trial.kernel = vm->kernel.release;
    if (auto written = out->write("qemu-command.txt", command_by_hand(*vm)); !written)
        return written;
    std::string printed;
    const Result<ProgramEnd> end = run_program(
        vm_options, *vm, *out, [&printed](std::string_view bytes) { printed += bytes; });
    if (!end) return end.error();
    if (!end->run.kernel.empty()) trial.kernel = end->run.kernel;
    judge(*end, printed, complaint_in(out->file("kernel.log")), trial);
    return out->write("output.txt", printed);
}

}  // namespace zcrxlab
