// Runs the kernels that no earlier call has finished.
#include "results/bisect/bisect_trials.hpp"

#include <fmt/format.h>

#include <utility>

namespace zcrxlab {

Result<Trials> Trials::open(TrialSettings settings) {
    Result<MatrixFolder> out = MatrixFolder::open(settings.folder);
    if (!out) return out.error();
    auto finished = out->finished(settings.terms);
    if (!finished) return finished.error();
    Trials trials(std::move(settings), std::move(*out));
    for (MatrixRun& run : *finished)
        if (run.nic == trials.settings_.nic) trials.finished_.emplace(run.kernel, std::move(run));
    return trials;
}

Result<bool> Trials::make(const std::vector<std::string>& kernels, const Tell& tell) {
    std::vector<PlannedRun> planned;
    for (const std::string& kernel : kernels) {
        if (const auto run = finished_.find(kernel); run != finished_.end())
            take(run->second, true, tell);
        else
            planned.push_back({kernel, settings_.nic});
    }
    for (const PlannedRun& run : planned)
        settings_.progress(
            fmt::format("trying {}{}", run.kernel,
                        settings_.order.there(run.kernel) ? "" : ", which has to be fetched"));
    Result<void> written;
    const auto ended = [&](const MatrixRun& run) {
        // What could not be started is tried again by the next call.
        if (run.state == RunState::kRan || run.state == RunState::kNotSupported)
            if (auto kept = out_.finish(settings_.terms, run); !kept) written = kept;
        take(run, false, tell);
    };
    const Progress of_runs = [this](const std::string& line) {
        if (settings_.verbose) settings_.progress(line);
    };
    Schedule schedule(std::move(planned), settings_.jobs);
    const Result<bool> complete = run_matrix(schedule, settings_.order, out_, of_runs, ended);
    if (!complete) return complete;
    if (!written) return written.error();
    if (!*complete && !settings_.verbose)
        settings_.progress("interrupted; the same command goes on from here");
    return complete;
}

void Trials::take(const MatrixRun& run, bool earlier, const Tell& tell) {
    Trial trial{run, {}, earlier};
    tell(trial);
    made_.insert_or_assign(run.kernel, std::move(trial));
}

}  // namespace zcrxlab
