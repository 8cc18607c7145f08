// Starts the scenario program as a child, takes its records from a pipe, and keeps what it prints.
#include "cli/lab/lab_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/child_process.hpp"
#include "harness/base/environment.hpp"
#include "harness/base/pipe.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/trace/record.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/watch.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kScenariosDescriptor = 9;
// A scenario says nothing while it runs; the longest take minutes.
constexpr seconds kSilence{600};
// Its children have a moment to close their rings.
constexpr milliseconds kStopBound{3'000};

WatchBounds bounds_of(const LabRun& run) {
    WatchBounds bounds;
    bounds.total = seconds(run.timeout);
    bounds.silence = std::min<milliseconds>(bounds.total, kSilence);
    return bounds;
}

class Listener {
  public:
    Listener(const LabRun& run, ResultsFolder& out)
        : run_(run),
          out_(out),
          watch_(bounds_of(run), steady_clock::now()),
          lines_([this](const std::string& line) {
              if (run_.verbose) fmt::print(stderr, "{}\n", on_one_line(line));
          }) {
        utsname system{};
        ::uname(&system);
        watch_.record({RecordType::kHello, Json{{"kernel", system.release}}.dump()}, now());
    }

    Result<RunSummary> listen() {
        // Before the child is there: nothing that ends us must come unseen.
        const StopSignals signals;
        auto records = Pipe::create(EmptyPipe::kSaysAgain);
        auto words = Pipe::create(EmptyPipe::kSaysAgain);
        if (!records) return records.error();
        if (!words) return words.error();
        ChildOptions options;
        options.arguments = run_.arguments;
        options.output = options.error = words->writing.get();
        options.extra = records->writing.get();
        options.extra_as = kScenariosDescriptor;
        Result<ChildProcess> child = ChildProcess::start(options);
        if (!child) return child.error();
        records_ = std::move(records->reading);
        words_ = std::move(words->reading);
        records->writing.reset();
        words->writing.reset();

        while (!watch_.over(now())) {
            std::array<pollfd, 4> waiting{{{signals.fd(), POLLIN, 0},
                                           {child->pidfd(), POLLIN, 0},
                                           {records_.get(), POLLIN, 0},
                                           {words_.get(), POLLIN, 0}}};
            const auto left = std::chrono::ceil<milliseconds>(watch_.deadline() - now()).count();
            ::poll(waiting.data(), waiting.size(),
                   static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
            drain();
            if (waiting[0].revents != 0 && signals.take()) watch_.interrupted(now());
            if (const auto status = child->status()) {
                drain();
                ended(*status);
            }
            watch_.tick(now());
        }
        child->signal(SIGTERM);
        child->wait(kStopBound);
        child->kill_and_collect();
        drain();
        RunSummary summary = watch_.summary(now());
        if (!lost_.empty()) summary.ending_message = lost_;
        summary.console = lines_.tail();
        return summary;
    }

  private:
    static Watch::Time now() { return steady_clock::now(); }

    void ended(int status) {
        if (WIFEXITED(status)) {
            watch_.record({RecordType::kDone, Json{{"exit", WEXITSTATUS(status)}}.dump()}, now());
            return;
        }
        lost_ = "The scenario program " + describe_status(status) + ".";
        watch_.qemu_ended(describe_status(status), now());
    }

    void drain() {
        read_all(words_, [this](std::string_view bytes) {
            out_.console(bytes);
            lines_.feed(bytes);
        });
        read_all(records_, [this](std::string_view bytes) {
            reader_.feed(std::as_bytes(std::span(bytes)));
            for (;;) {
                Result<std::optional<Record>> record = reader_.next();
                if (!record) return watch_.records_broken(record.error(), now());
                if (!*record) return;
                take(**record);
            }
        });
    }

    void take(const Record& record) {
        watch_.record(record, now());
        out_.record(record);
        if (run_.record) run_.record(record);
        if (record.type != RecordType::kTestEnded || watch_.last_ended() == nullptr) return;
        fmt::print("{}\n", to_line(*watch_.last_ended()));
        std::fflush(stdout);
        if (run_.fail_fast && watch_.last_ended()->status == TestStatus::kFailed)
            watch_.interrupted(now());
    }

    template <typename Take>
    void read_all(Fd& fd, Take take_bytes) {
        std::array<char, 65536> chunk;
        for (int turn = 0; fd && turn < 16; ++turn) {
            const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return;
            if (got == 0) return fd.reset();
            take_bytes(std::string_view(chunk.data(), static_cast<size_t>(got)));
        }
    }

    const LabRun& run_;
    ResultsFolder& out_;
    Watch watch_;
    ConsoleLines lines_;
    RecordReader reader_;
    Fd records_, words_;
    std::string lost_;
};

}  // namespace

Result<RunSummary> run_scenarios_here(const LabRun& run, ResultsFolder& out) {
    for (const auto& [name, value] : run.environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::setenv(environment::kRecordsFd, std::to_string(kScenariosDescriptor).c_str(), 1);
    return Listener(run, out).listen();
}

}  // namespace zcrxlab
