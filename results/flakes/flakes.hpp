// Flakes: what many runs of the same scenarios said of each, and which of them it depends on the
// load of the machine, or on chance.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

// A run beside `load` busy loops.
struct LoadedRun {
    unsigned load = 0;
    std::string name;     // for people
    RunSummary results;   // meaningless if broken
    std::string problem;  // why there are no results: a sentence; empty otherwise
};

// What the runs at one load said of a scenario.
struct VerdictsAtLoad {
    // "passed", "known: no-flush" ...; "missing" in runs that do not tell of it. How often.
    std::map<std::string, size_t> verdicts;
    std::vector<double> seconds;  // of the runs that tell of it, in order of time
};

struct FlakesRow {
    std::string scenario;
    std::map<unsigned, VerdictsAtLoad> at_load = {};
    bool differs = false;  // not the same verdict in all runs
};

struct Flakes {
    std::map<unsigned, size_t> runs;  // by load
    std::vector<FlakesRow> rows;      // those that differ first, then in the order they ran
    size_t differing = 0;
    std::vector<std::string> problems;  // runs without results, or that did not finish: sentences
};

// A run that has no results says nothing of any scenario; one that was cut short lacks some.
Flakes flakes_of(std::span<const LoadedRun> runs);

// For terminals: how much there was, what differs, and the problems. Ends with a newline.
std::string to_text(const Flakes& flakes);
// The whole table, scenario, verdicts and seconds (median and longest) at each load.
std::string to_markdown(const Flakes& flakes);

// The runs in FOLDER/load-L/N/results.json, by load and number. ENOENT if there is none.
Result<std::vector<LoadedRun>> read_loaded_runs(const std::filesystem::path& folder);

}  // namespace zcrxlab
