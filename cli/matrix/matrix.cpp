// Plans the runs of a matrix, makes those that are not finished, and keeps the table up to date.
#include "cli/matrix/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/terminal.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/progress.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/kernel.hpp"
#include "results/matrix/folder.hpp"
#include "results/matrix/matrix_order.hpp"
#include "results/matrix/matrix_runner.hpp"
#include "results/matrix/render.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

struct Wanted {
    std::vector<KernelChoice> choices;
    std::vector<std::string> kernels;
    std::vector<PlannedRun> runs;   // of all machines
    std::vector<PlannedRun> share;  // of this one
};

Result<Wanted> find_wanted(const MatrixOptions& options, const Progress& progress) {
    Wanted wanted;
    MachineShare share;
    if (!options.share.empty()) {
        const auto parsed = MachineShare::parse(options.share);
        if (!parsed) return parsed.error();
        share = *parsed;
    }
    const std::string usual = nic_labels(is_usual_in_matrix, ",");
    const auto nics = wanted_nics(options.nics.empty() ? usual : options.nics, matrix_nics());
    if (!nics) return nics.error();
    auto choices = list_kernels(progress);
    if (!choices) return choices.error();
    wanted.choices = std::move(*choices);
    auto kernels = wanted_kernels(options.kernels, wanted.choices);
    if (!kernels) return kernels.error();
    wanted.kernels = std::move(*kernels);
    wanted.runs = planned_runs(wanted.kernels, *nics);
    wanted.share = share_of(wanted.runs, share);
    return wanted;
}

void print_plan(const Wanted& wanted) {
    // Those of the runs, the oldest first: a NIC's row may want another flavour.
    std::vector<std::string> kernels;
    for (auto run = wanted.runs.rbegin(); run != wanted.runs.rend(); ++run)
        if (std::ranges::find(kernels, run->kernel) == kernels.end())
            kernels.push_back(run->kernel);
    size_t to_fetch = 0;
    for (const std::string& kernel : kernels) {
        const bool cached = is_there(wanted.choices, kernel);
        if (!cached) ++to_fetch;
        std::string nics;
        for (const PlannedRun& run : wanted.share)
            if (run.kernel == kernel) nics += (nics.empty() ? "" : ", ") + run.nic;
        fmt::print(stderr, "{:<16} {:<12} {}\n", kernel, nics.empty() ? "-" : nics,
                   cached ? "" : "to be fetched");
    }
    fmt::print(stderr, "{} runs of {} are this machine's; {} kernels are to be fetched\n",
               wanted.share.size(), wanted.runs.size(), to_fetch);
    fmt::print("{}\n", fmt::join(wanted.kernels, ","));
}

bool same(const MatrixRun& run, const PlannedRun& planned) {
    return run.kernel == planned.kernel && run.nic == planned.nic;
}

// All that is planned or there already.
std::vector<MatrixRun> known_runs(const Wanted& wanted, const MatrixOrder& order,
                                  std::vector<MatrixRun> finished) {
    std::vector<MatrixRun> runs = std::move(finished);
    for (const PlannedRun& planned : wanted.runs) {
        if (std::ranges::any_of(runs, [&](const MatrixRun& run) { return same(run, planned); }))
            continue;
        MatrixRun run;
        run.kernel = planned.kernel;
        run.nic = planned.nic;
        run.command = order.command(planned);
        runs.push_back(std::move(run));
    }
    return runs;
}

// What one run came to, in one line.
std::string outcome(const MatrixRun& run) {
    const std::string name = fmt::format("{} on {}: ", run.kernel, run.nic);
    if (run.state != RunState::kRan) return name + on_one_line(run.message);
    std::string text = to_text(run.results);
    // The counts, behind the colon; how it ended follows where it did not end well.
    text = text.substr(text.find(": ") + 2);
    return name + fmt::format("{} in {:.0f} s, CPU {:.0f} s", on_one_line(text), run.cost.seconds,
                              run.cost.cpu_seconds);
}

}  // namespace

int matrix_command(const MatrixOptions& options) {
    const Progress progress = progress_for_people();
    const Result<Wanted> wanted = find_wanted(options, progress);
    if (!wanted) return fail(wanted.error());
    if (options.plan) {
        print_plan(*wanted);
        return 0;
    }
    Result<Catalogue> catalogue = find_catalogue(options);
    if (!catalogue) return fail(catalogue.error());
    const auto out =
        MatrixFolder::open(options.vm.out.empty() ? fs::path("zcrxlab-matrix") : options.vm.out);
    if (!out) return fail(out.error());
    const MatrixTerms terms = terms_for(options);
    auto finished = out->finished(terms);
    if (!finished) return fail(finished.error());

    std::vector<PlannedRun> left;
    for (const PlannedRun& planned : wanted->share)
        if (std::ranges::none_of(*finished,
                                 [&](const MatrixRun& run) { return same(run, planned); }))
            left.push_back(planned);
    if (left.size() < wanted->share.size())
        progress(fmt::format("{} of {} runs are finished already",
                             wanted->share.size() - left.size(), wanted->share.size()));

    const MatrixOrder order = order_for(options, wanted->choices);
    Matrix matrix{terms, std::move(*catalogue), known_runs(*wanted, order, std::move(*finished))};
    Result<void> written;
    const auto ended = [&](const MatrixRun& run) {
        const auto known = std::ranges::find_if(matrix.runs, [&](const MatrixRun& other) {
            return other.kernel == run.kernel && other.nic == run.nic;
        });
        if (known != matrix.runs.end()) *known = run;
        progress(outcome(run));
        // What could not be started is tried again by the next call.
        if (run.state == RunState::kRan || run.state == RunState::kNotSupported)
            if (auto kept = out->finish(terms, run); !kept) written = kept;
        if (auto tables = write_tables(out->path(), matrix); !tables) written = tables;
    };
    Schedule schedule(left, options.jobs);
    const Result<bool> complete = run_matrix(schedule, order, *out, progress, ended);
    if (auto tables = write_tables(out->path(), matrix); !tables) written = tables;
    if (!complete) return fail(complete.error());
    if (!written) return fail(written.error());

    fmt::print("{}tables: {}\n", to_text(matrix, table_of(matrix), terminal_width()),
               (out->path() / "matrix.html").string());
    return *complete ? exit_code(matrix) : kExitInterrupted;
}

}  // namespace zcrxlab
