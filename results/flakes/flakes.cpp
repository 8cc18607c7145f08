// Flakes: comparing verdicts, and the table.
#include "results/flakes/flakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace zcrxlab {

namespace {

constexpr std::string_view kMissing = "missing";

std::string verdict_of(const TestResult& test) {
    std::string verdict(name_of(test.status));
    // Another defect is another verdict.
    if (!test.reference.empty()) verdict += ": " + on_one_line(test.reference);
    return verdict;
}

// Of an ordered list that is not empty.
double median(const std::vector<double>& ordered) {
    return ordered[(ordered.size() - 1) / 2];
}

std::string verdicts_text(const VerdictsAtLoad& there) {
    std::string text;
    for (const auto& [verdict, count] : there.verdicts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
    return text;
}

std::string seconds_text(const VerdictsAtLoad& there) {
    if (there.seconds.empty()) return "-";
    return fmt::format("{:.1f}, {:.1f}", median(there.seconds), there.seconds.back());
}

std::string how_many_runs(const Flakes& flakes) {
    std::string text;
    for (const auto& [load, count] : flakes.runs)
        text += fmt::format("{}{} beside {} busy loop{}", text.empty() ? "" : ", ", count, load,
                            load == 1 ? "" : "s");
    return text;
}

std::string headline(const Flakes& flakes) {
    return fmt::format("{} of {} scenarios have verdicts that differ; runs: {}", flakes.differing,
                       flakes.rows.size(), how_many_runs(flakes));
}

std::string as_cell(std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

}  // namespace

Flakes flakes_of(std::span<const LoadedRun> runs) {
    Flakes flakes;
    std::map<std::string, size_t> places;  // of a scenario, in rows
    for (const LoadedRun& run : runs) {
        if (!run.problem.empty()) {
            flakes.problems.push_back(run.name + ": " + run.problem);
            continue;
        }
        if (run.results.ending != Ending::kFinished)
            flakes.problems.push_back(fmt::format("{}: it ended as \"{}\". {}", run.name,
                                                  name_of(run.results.ending),
                                                  on_one_line(run.results.ending_message)));
        ++flakes.runs[run.load];
        for (const TestResult& test : run.results.tests)
            if (places.try_emplace(test.name, flakes.rows.size()).second)
                flakes.rows.push_back({.scenario = on_one_line(test.name)});
    }
    for (const LoadedRun& run : runs) {
        if (!run.problem.empty()) continue;
        std::set<size_t> told;
        for (const TestResult& test : run.results.tests) {
            const size_t place = places.at(test.name);
            if (!told.insert(place).second) continue;
            VerdictsAtLoad& there = flakes.rows[place].at_load[run.load];
            ++there.verdicts[verdict_of(test)];
            there.seconds.push_back(test.seconds);
        }
        for (size_t place = 0; place < flakes.rows.size(); ++place)
            if (!told.contains(place))
                ++flakes.rows[place].at_load[run.load].verdicts[std::string(kMissing)];
    }
    for (FlakesRow& row : flakes.rows) {
        std::set<std::string> all;
        for (auto& [load, there] : row.at_load) {
            std::ranges::sort(there.seconds);
            for (const auto& [verdict, count] : there.verdicts) all.insert(verdict);
        }
        row.differs = all.size() > 1;
        flakes.differing += row.differs ? 1 : 0;
    }
    std::ranges::stable_sort(flakes.rows, std::greater{}, &FlakesRow::differs);
    return flakes;
}

std::string to_text(const Flakes& flakes) {
    std::string text = headline(flakes) + "\n";
    for (const FlakesRow& row : flakes.rows) {
        if (!row.differs) break;
        text += "  " + row.scenario + "\n";
        for (const auto& [load, there] : row.at_load)
            text += fmt::format("    load {}: {}; seconds (median, longest): {}\n", load,
                                verdicts_text(there), seconds_text(there));
    }
    for (const std::string& problem : flakes.problems) text += problem + "\n";
    return text;
}

std::string to_markdown(const Flakes& flakes) {
    std::string text = "# Verdicts of many runs\n\n" + headline(flakes) + ".\n\n";
    for (const std::string& problem : flakes.problems) text += "* " + problem + "\n";
    if (!flakes.problems.empty()) text += "\n";
    text += "| scenario |";
    std::string rule = "|---|";
    for (const auto& [load, count] : flakes.runs) {
        text += fmt::format(" load {} | seconds: median, longest |", load);
        rule += "---|---|";
    }
    text += "\n" + rule + "\n";
    for (const FlakesRow& row : flakes.rows) {
        text += "| `" + as_cell(row.scenario) + "` |";
        for (const auto& [load, there] : row.at_load)
            text += fmt::format(" {} | {} |", as_cell(verdicts_text(there)), seconds_text(there));
        text += "\n";
    }
    return text;
}

}  // namespace zcrxlab
