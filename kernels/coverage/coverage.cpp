// Reading gcov's JSON, and adding reports up.
#include "kernels/coverage/coverage.hpp"

#include <algorithm>
#include <filesystem>

#include "harness/base/json.hpp"

namespace zcrxlab {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// "io_uring/zcrx.c" of whatever gcov calls it; empty if it is not in the tree, or a header.
std::string path_in_tree(const std::string& named, const std::string& tree) {
    const fs::path path = fs::path(named).lexically_normal();
    const fs::path inside =
        path.is_absolute() ? path.lexically_relative(fs::path(tree).lexically_normal()) : path;
    const std::string text = inside.generic_string();
    if (text.empty() || text.starts_with("..") || inside.extension() != ".c") return {};
    return text;
}

// gcov writes counts as numbers; a negative one, of a corrupt profile, is no count.
uint64_t number(const Json& json, const char* name) {
    return get_or<uint64_t>(json, name, 0);
}

void add_line(FileCoverage& file, const Json& json) {
    if (!json.is_object()) return;
    const uint64_t at = number(json, "line_number");
    if (at == 0 || at > UINT32_MAX) return;
    // Inlined copies of one line come as several entries; together they are the line.
    LineCoverage& line = file.lines[static_cast<uint32_t>(at)];
    line.count += number(json, "count");
    if (line.function.empty()) line.function = get_text(json, "function_name");
    const Json& branches = get_array(json, "branches");
    if (line.branches.size() < branches.size()) line.branches.resize(branches.size());
    for (size_t i = 0; i < branches.size(); ++i)
        if (branches[i].is_object()) line.branches[i] += number(branches[i], "count");
}

void add_function(FileCoverage& file, const Json& json) {
    if (!json.is_object()) return;
    FunctionCoverage& function = file.functions[get_text(json, "name")];
    function.name = get_text(json, "name");
    function.first_line = static_cast<uint32_t>(number(json, "start_line"));
    function.last_line = static_cast<uint32_t>(number(json, "end_line"));
    function.calls += number(json, "execution_count");
}

}  // namespace

void Tally::add(const LineCoverage& line) {
    ++lines;
    if (line.count > 0) ++lines_run;
    branches += static_cast<uint32_t>(line.branches.size());
    branches_taken += static_cast<uint32_t>(
        std::ranges::count_if(line.branches, [](uint64_t count) { return count > 0; }));
}

Tally FileCoverage::tally() const {
    Tally sum;
    for (const auto& [at, line] : lines) sum.add(line);
    return sum;
}

Tally FileCoverage::tally(const FunctionCoverage& function) const {
    Tally sum;
    for (const auto& [at, line] : lines)
        if (line.function == function.name) sum.add(line);
    return sum;
}

Result<void> add_gcov(Coverage& coverage, std::string_view report, const std::string& tree) {
    const Result<Json> json = parse_json(report);
    if (!json || member(*json, "files") == nullptr)
        return Error{EPROTO,
                     "gcov's output is no report; is it of another compiler than the "
                     "kernel's? Type: gcov --version"};
    for (const Json& file : get_array(*json, "files")) {
        if (!file.is_object()) continue;
        const std::string path = path_in_tree(get_text(file, "file"), tree);
        if (path.empty()) continue;
        FileCoverage& entry = coverage[path];
        for (const Json& line : get_array(file, "lines")) add_line(entry, line);
        for (const Json& function : get_array(file, "functions")) add_function(entry, function);
    }
    return {};
}

void add(Coverage& coverage, const Coverage& more) {
    for (const auto& [path, from] : more) {
        FileCoverage& file = coverage[path];
        for (const auto& [at, line] : from.lines) {
            LineCoverage& sum = file.lines[at];
            sum.count += line.count;
            if (sum.function.empty()) sum.function = line.function;
            if (sum.branches.size() < line.branches.size())
                sum.branches.resize(line.branches.size());
            for (size_t i = 0; i < line.branches.size(); ++i) sum.branches[i] += line.branches[i];
        }
        for (const auto& [name, function] : from.functions) {
            const auto [sum, is_new] = file.functions.try_emplace(name, function);
            if (!is_new) sum->second.calls += function.calls;
        }
    }
}

std::string lines_never_run(const FileCoverage& file, const FunctionCoverage& function) {
    std::string text;
    uint32_t first = 0, last = 0;
    const auto end_range = [&] {
        if (first == 0) return;
        if (!text.empty()) text += ", ";
        text += std::to_string(first);
        if (last != first) text += "-" + std::to_string(last);
        first = 0;
    };
    for (const auto& [at, line] : file.lines) {
        if (line.function != function.name) continue;
        if (line.count > 0) {
            end_range();
            continue;
        }
        if (first == 0) first = at;
        last = at;
    }
    end_range();
    return text;
}

}  // namespace zcrxlab
