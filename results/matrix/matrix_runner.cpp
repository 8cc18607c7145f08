// Watches the processes that fetch and run in one poll loop.
#include "results/matrix/matrix_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>

#include "harness/base/child_process.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"
#include "harness/base/stop_signals.hpp"
#include "harness/base/time_left.hpp"
#include "kernels/packages/cache.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr size_t kLargestFile = size_t{256} << 20;
constexpr size_t kLogLines = 12;

double seconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

// A process of ours with its output in a file.
struct Work {
    std::unique_ptr<ChildProcess> process;
    fs::path log;
    steady_clock::time_point start = steady_clock::now();

    static Result<Work> start_in(const std::vector<std::string>& command, const fs::path& log) {
        const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!file) return error_from_errno("write " + log.string());
        ChildOptions options;
        options.arguments = command;
        options.output = file.get();
        options.error = file.get();
        Result<ChildProcess> process = ChildProcess::start(options);
        if (!process) return process.error();
        Work work;
        work.process = std::make_unique<ChildProcess>(std::move(*process));
        work.log = log;
        return work;
    }
    // What it said last.
    std::string last_words() const {
        const auto text = read_file(log, kLargestFile);
        return text ? cleaned(last_lines(*text, kLogLines)) : std::string();
    }
};

struct RunningRun {
    size_t index;  // into the schedule
    Work work;
};

class Runner {
  public:
    Runner(Schedule& schedule, const MatrixOrder& order, const MatrixFolder& out,
           const Progress& progress, const std::function<void(const MatrixRun&)>& ended)
        : schedule_(schedule), order_(order), out_(out), progress_(progress), ended_(ended) {}

    Result<bool> run() {
        const StopSignals signals;
        while (!schedule_.done()) {
            if (auto begun = begin_what_can(); !begun) return begun.error();
            std::vector<pollfd> waiting{{signals.fd(), POLLIN, 0}};
            if (fetching_) waiting.push_back({fetching_->work.process->pidfd(), POLLIN, 0});
            for (const RunningRun& run : running_)
                waiting.push_back({run.work.process->pidfd(), POLLIN, 0});
            // Nothing to wait for: what was begun could not be.
            if (waiting.size() == 1) continue;
            ::poll(waiting.data(), waiting.size(), -1);
            if (waiting[0].revents != 0 && signals.take()) {
                stop();
                return false;
            }
            collect_fetch();
            if (collect_runs()) return false;
        }
        return true;
    }

  private:
    struct Fetch {
        std::string kernel;
        Work work;
    };

    Result<void> begin_what_can() {
        while (const auto kernel = schedule_.next_fetch())
            if (auto begun = begin_fetch(*kernel); !begun) return begun;
        while (const auto run = schedule_.next_run())
            if (auto begun = begin_run(*run); !begun) return begun;
        return {};
    }

    Result<void> begin_fetch(const std::string& kernel) {
        if (order_.there(kernel)) {
            schedule_.fetched(kernel, true);
            return {};
        }
        Result<Work> work = Work::start_in({order_.program, "kernels", "--fetch", kernel},
                                           out_.path() / "fetch.log");
        if (!work) return work.error();
        progress_(fmt::format("{} is fetched; {}", kernel, work->log.string()));
        fetching_ = Fetch{kernel, std::move(*work)};
        return {};
    }

    void collect_fetch() {
        if (!fetching_ || !fetching_->work.process->status()) return;
        const bool there = *fetching_->work.process->status() == 0;
        const double seconds = seconds_since(fetching_->work.start);
        const std::string kernel = fetching_->kernel;
        const std::string words = fetching_->work.last_words();
        fetching_.reset();
        if (there) {
            fetch_seconds_.emplace_back(kernel, seconds);
            progress_(fmt::format("{} is there after {:.0f} s", kernel, seconds));
        }
        schedule_.fetched(kernel, there);
        if (there) return;
        for (const PlannedRun& run : schedule_.runs())
            if (run.kernel == kernel)
                tell_impossible(run, RunState::kNotStarted, "It could not be fetched: " + words);
    }

    Result<void> begin_run(size_t index) {
        const PlannedRun& planned = schedule_.runs()[index];
        const Result<std::string> obstacle = order_.obstacle(planned);
        if (!obstacle || !obstacle->empty()) {
            schedule_.ended(index);
            tell_impossible(planned, obstacle ? RunState::kNotSupported : RunState::kNotStarted,
                            obstacle ? *obstacle : obstacle.error().sentence);
            return {};
        }
        MatrixRun run = new_run(planned);
        if (auto begun = out_.begin(run); !begun) return begun;
        const fs::path folder = out_.of_run(planned.kernel, planned.nic);
        std::vector<std::string> command{order_.program, "run",       "--kernel", planned.kernel,
                                         "--nic",        planned.nic, "--out",    folder.string()};
        command.insert(command.end(), order_.options.begin(), order_.options.end());
        if (!order_.filter.empty()) command.insert(command.end(), {"--filter", order_.filter});
        Result<Work> work = Work::start_in(command, folder / "run.log");
        if (!work) return work.error();
        progress_(fmt::format("{} on {} runs; {} left{}; {}", planned.kernel, planned.nic,
                              schedule_.left(), time_of_left(), work->log.string()));
        running_.push_back({index, std::move(*work)});
        return {};
    }

    // ", about 12 min left", from those that have ended; what is running counts as a half.
    std::string time_of_left() const {
        if (ended_runs_ == 0) return "";
        const size_t still = 2 * schedule_.left() - running_.size();
        const std::string text =
            time_left(2 * ended_runs_, 2 * ended_runs_ + still, seconds_since(start_));
        return text.empty() ? "" : ", " + text;
    }

    // True if one was interrupted by somebody else.
    bool collect_runs() {
        for (size_t i = 0; i < running_.size();) {
            const auto status = running_[i].work.process->status();
            if (!status) {
                ++i;
                continue;
            }
            const RunningRun over = std::move(running_[i]);
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            if (WIFEXITED(*status) && WEXITSTATUS(*status) == kExitInterrupted) {
                stop();
                return true;
            }
            schedule_.ended(over.index);
            take_results(over, *status);
        }
        return false;
    }

    void take_results(const RunningRun& over, int status) {
        ++ended_runs_;
        MatrixRun run = new_run(schedule_.runs()[over.index]);
        run.cost.seconds = seconds_since(over.work.start);
        run.cost.cpu_seconds = over.work.process->cpu_seconds();
        for (const auto& [kernel, seconds] : fetch_seconds_)
            if (kernel == run.kernel) run.cost.fetch_seconds = seconds;
        // The kernel is paid for once.
        std::erase_if(fetch_seconds_, [&](const auto& paid) { return paid.first == run.kernel; });
        const auto text =
            read_file(out_.of_run(run.kernel, run.nic) / "results.json", kLargestFile);
        Result<RunSummary> results = text ? summary_from_json(*text) : text.error();
        if (results) {
            run.state = RunState::kRan;
            run.results = std::move(*results);
        } else {
            run.state = RunState::kNotStarted;
            run.message = "The run " + describe_status(status) + ". " + over.work.last_words();
        }
        ended_(run);
    }

    MatrixRun new_run(const PlannedRun& planned) const {
        MatrixRun run;
        run.kernel = planned.kernel;
        run.nic = planned.nic;
        run.command = order_.command(planned);
        run.folder = folder_name(planned.kernel, planned.nic);
        return run;
    }

    void tell_impossible(const PlannedRun& planned, RunState state, const std::string& why) {
        MatrixRun run = new_run(planned);
        run.state = state;
        run.message = why;
        ended_(run);
    }

    // Each run cleans up after itself; who does not is killed with all its children.
    void stop() {
        progress_("interrupted; the same command goes on from here");
        fetching_.reset();
        for (const RunningRun& run : running_) run.work.process->signal(SIGTERM);
        const auto until = steady_clock::now() + std::chrono::seconds(kStopSeconds);
        for (const RunningRun& run : running_)
            run.work.process->wait(std::max(
                std::chrono::milliseconds(0),
                std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now())));
        running_.clear();
    }

    Schedule& schedule_;
    const MatrixOrder& order_;
    const MatrixFolder& out_;
    const Progress& progress_;
    const std::function<void(const MatrixRun&)>& ended_;
    std::optional<Fetch> fetching_;
    std::vector<RunningRun> running_;
    const steady_clock::time_point start_ = steady_clock::now();
    size_t ended_runs_ = 0;
    std::vector<std::pair<std::string, double>> fetch_seconds_;  // not yet counted with a run
};

}  // namespace

Result<bool> run_matrix(Schedule& schedule, const MatrixOrder& order, const MatrixFolder& out,
                        const Progress& progress,
                        const std::function<void(const MatrixRun&)>& ended) {
    return Runner(schedule, order, out, progress, ended).run();
}

}  // namespace zcrxlab
