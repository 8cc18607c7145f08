// Connects the program in the guest with us, keeps what guest and NIC report, and reports the end.
#include "cli/exec/exec_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "cli/exec/exec_job.hpp"
#include "cli/report/report.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/report/report.hpp"
#include "harness/targets/control_channel.hpp"
#include "results/exec/exec_outcome.hpp"
#include "results/exec/exec_records.hpp"
#include "results/exec/exec_trace.hpp"
#include "results/exec/zcrx_report.hpp"
#include "results/exec/zcrx_report_text.hpp"
#include "results/timeline/recording.hpp"
#include "vm/start/cache_damage.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/nic_process.hpp"
#include "vm/watch/output_recorder.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr size_t kMostConnections = 8;
constexpr size_t kLastLines = 8;
const std::string kTestOfPage = "exec.";
constexpr std::chrono::milliseconds kNicAnswerBound{2000};

// The last of some lines, without what would disturb a terminal.
std::string last_of(const std::string& lines) {
    size_t begin = lines.size();
    for (size_t left = kLastLines; left > 0 && begin > 0; --left)
        begin = begin < 2 ? 0 : lines.rfind('\n', begin - 2) + 1;
    std::string text = lines.substr(begin);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
    return text;
}

// One program, from the VM's start to its end.
class ExecRun {
  public:
    ExecRun(const ExecOptions& options, ResultsFolder& out, const PreparedVm& vm,
            GuestStreams streams, GuestInput& input, const ZcrxExpectation& expected)
        : options_(options),
          out_(out),
          vm_(vm),
          raw_(streams == GuestStreams::kTerminal),
          input_(input),
          expected_(expected),
          watch_(bounds(), steady_clock::now()),
          recorder_(out, options.vm.verbose, [this](const Record& record) { hear(record); }) {}

    int run() {
        MachineCallbacks callbacks = recorder_.callbacks();
        callbacks.way_in = [this](Fd guest) { input_.start(std::move(guest)); };
        callbacks.signal = [this](int number) { return pass_on(number); };
        callbacks.ending = [this] {
            input_.stop();
            // A NIC that hangs is not waited for.
            if (vm_.machine.control.empty() || watch_.state() != VmState::kDone) return;
            const auto answer =
                ask_nic(vm_.machine.control, R"({"do":"counters"})", kNicAnswerBound);
            if (answer) zcrx_.counters(*answer);
            take_log();
        };
        if (auto ran = run_machine(vm_.machine, watch_, callbacks); !ran) return fail(ran.error());
        return report();
    }

  private:
    // Until the program starts; from then on it has --timeout.
    static WatchBounds bounds() {
        WatchBounds bounds;
        bounds.total = 2 * bounds.boot;
        return bounds;
    }
    void program_started() {
        const auto now = steady_clock::now();
        const seconds allowed(options_.vm.timeout);
        watch_.allow(allowed, now);
        input_.time_up_at(now + allowed - kLastWords);
        input_.program_started();
    }

    void hear(const Record& record) {
        if (record.type == RecordType::kOutput) show(record.json);
        const ExecNews news = take_record(record, HostMoment::now(), outcome_, zcrx_, trace_);
        if (news.taken) input_.taken(*news.taken);
        if (news.started) program_started();
    }

    // Where the NIC wrote, as far as it still knows, and what its driver must not have asked.
    void take_log() {
        auto channel = ControlChannel::open(vm_.machine.control.string(), kNicAnswerBound);
        if (!channel) return;
        if (auto asked = channel->forbidden(0)) trace_.driver(std::move(asked->asked), asked->lost);
        for (uint64_t after = 0;;) {
            const auto log = channel->log(after);
            if (!log) return;
            trace_.device(log->writes);
            if (log->writes.entries.empty() || log->last >= log->newest) return;
            after = log->last;
        }
    }

    // For "zcrxlab trace".
    Result<void> write_trace() {
        std::ifstream file(out_.file("wire.pcapng"), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        const auto capture = read_capture(std::as_bytes(std::span(bytes)));
        const std::vector<Event> events =
            trace_.events(capture ? capture->frames : std::vector<Frame>(), zcrx_);
        if (events.empty()) return {};
        return out_.write("trace.jsonl", trace_lines(events, options_.arguments.front()));
    }

    void show(std::string_view bytes) {
        if (bytes.empty()) return;
        const auto stream = static_cast<RecordStream>(bytes.front());
        bytes.remove_prefix(1);
        if (stream == RecordStream::kPeer) {
            if (!peer_log_.is_open()) peer_log_.open(out_.file("peer.log"), std::ios::binary);
            peer_log_ << bytes << std::flush;
        }
        if (stream != RecordStream::kPeer) output_.feed(bytes);
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
        for (const auto& written : {out_.write_reports(run), out_.finish_logs()})
            if (!written) unwritten_.push_back(written.error());
        const bool done = watch_.state() == VmState::kDone;
        int code = done ? watch_.program_exit().value_or(kExitLost) : exit_code(run);
        const std::vector<std::string> unlike = disappointments(expected_, zcrx_);
        if (code == kExitPassed && !unlike.empty()) code = kExitNotAsExpected;
        Json json = outcome_.to_json(watch_);
        json["program"] = options_.arguments;
        json["kernel"] = run.kernel;
        json["nic"] = run.nic;
        json["exit_code"] = code;
        json["last_output"] = last_of(output_.tail());
        json["last_console"] = last_of(recorder_.console_tail());
        json["zcrx"] = zcrx_.to_json();
        json["not_as_expected"] = unlike;
        const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
        for (const auto& written : {out_.write("exec.json", text), write_trace()})
            if (!written) unwritten_.push_back(written.error());
        for (const std::string& sentence : outcome_.sentences(
                 watch_, options_.arguments.front(), options_.vm.memory, options_.vm.timeout))
            fmt::print(stderr, "zcrxlab: {}\n", sentence);
        say_last_lines();
        say_receives(done);
        for (const std::string& sentence : unlike) fmt::print(stderr, "zcrxlab: {}\n", sentence);
        if (!done)
            fmt::print(stderr, "zcrxlab: {}\n{}", watch_.reason(), recorder_.last_words(watch_));
        if (!done && watch_.state() != VmState::kInterrupted)
            if (const std::string damage = find_cache_damage(vm_, progress_for_people());
                !damage.empty())
                fmt::print(stderr, "zcrxlab: {} The next run fetches it anew.\n", damage);
        run.tests = {{.name = kTestOfPage + options_.arguments.front(),
                      .status = code == kExitPassed ? TestStatus::kPassed : TestStatus::kFailed,
                      .seconds = run.seconds,
                      .message = fmt::format("exit code {}. {}", code, fmt::join(unlike, " ")),
                      .trace = in_words(zcrx_, kMostConnections)}};
        if (auto page = write_page_if_wanted(run, out_.path(), options_.html); !page)
            unwritten_.push_back(page.error());
        for (const Error& error : unwritten_) fail(error);
        return unwritten_.empty() ? code : exit_code_of_unwritten(code);
    }

    // What was said last, where the program did not end by itself.
    void say_last_lines() const {
        const ExecEnd end = outcome_.end(watch_);
        if (end == ExecEnd::kExited || end == ExecEnd::kEndedByUs || end == ExecEnd::kRefused ||
            passed_on_)
            return;
        if (const std::string output = last_of(output_.tail()); !output.empty())
            fmt::print(stderr, "zcrxlab: Its last lines were:\n{}", output);
        // Of a guest that is lost, they come with the reason.
        if (const std::string console = last_of(recorder_.console_tail());
            !console.empty() && end != ExecEnd::kGuestLost)
            fmt::print(stderr, "zcrxlab: The last lines of the console were:\n{}", console);
    }

    // Whoever has nothing to do with zero-copy receive hears nothing of it.
    void say_receives(bool done) {
        const bool touched = zcrx_.bytes() != 0 || !zcrx_.queues().empty() || zcrx_.errors() != 0;
        if (!touched && options_.ports.empty() && !options_.vm.verbose) return;
        if (!done || options_.no_probes) return;
        std::string text;
        for (const std::string& line : in_words(zcrx_, SIZE_MAX)) text += line + "\n";
        if (auto written = out_.write("zcrx.txt", text); !written) fail(written.error());
        for (const std::string& line : in_words(zcrx_, kMostConnections))
            fmt::print(stderr, "zcrxlab: {}\n", line);
    }

    const ExecOptions& options_;
    ResultsFolder& out_;
    const PreparedVm& vm_;
    const bool raw_;
    GuestInput& input_;
    const ZcrxExpectation expected_;
    Watch watch_;
    ExecOutcome outcome_;
    ZcrxReport zcrx_;
    ExecTrace trace_;
    OutputRecorder recorder_;
    ConsoleLines output_;
    std::ofstream peer_log_;
    std::vector<Error> unwritten_;
    bool passed_on_ = false;
};

}  // namespace

int run_program_in(const PreparedVm& vm, const ExecOptions& options, GuestStreams streams,
                   GuestInput& input, const ZcrxExpectation& expected, ResultsFolder& out) {
    return ExecRun(options, out, vm, streams, input, expected).run();
}

}  // namespace zcrxlab
