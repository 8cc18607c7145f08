// Flakes: the folders that ci/flakes leaves behind.
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "results/flakes/flakes.hpp"

namespace zcrxlab {

namespace {

namespace fs = std::filesystem;

std::optional<unsigned> number_in(std::string_view text) {
    unsigned number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || at != end) return std::nullopt;
    return number;
}

// The folders in `folder` whose names are `before` and a number, by number.
std::map<unsigned, fs::path> numbered(const fs::path& folder, std::string_view before) {
    std::map<unsigned, fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(before)) continue;
        if (const auto number = number_in(std::string_view(name).substr(before.size())))
            found.emplace(*number, entry.path());
    }
    return found;
}

LoadedRun read_run(const fs::path& folder, const std::string& name, unsigned load) {
    LoadedRun run{.load = load, .name = name, .results = {}, .problem = {}};
    std::ifstream file(folder / "results.json", std::ios::binary);
    if (!file) {
        run.problem = "it has no results.json; its output is in log.";
        return run;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto results = summary_from_json(text);
    if (results)
        run.results = *std::move(results);
    else
        run.problem = results.error().sentence;
    return run;
}

}  // namespace

Result<std::vector<LoadedRun>> read_loaded_runs(const fs::path& folder) {
    std::vector<LoadedRun> runs;
    for (const auto& [load, of_load] : numbered(folder, "load-"))
        for (const auto& [number, of_run] : numbered(of_load, ""))
            runs.push_back(read_run(
                of_run, "load-" + std::to_string(load) + "/" + std::to_string(number), load));
    if (runs.empty())
        return Error{ENOENT, folder.string() + " holds no run; ci/flakes 1 makes some."};
    return runs;
}

}  // namespace zcrxlab
