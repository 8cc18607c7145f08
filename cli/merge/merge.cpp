// Reads the matrices of several machines and writes one.
#include "cli/merge/merge.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/terminal.hpp"
#include "harness/base/fail.hpp"
#include "results/matrix/folder.hpp"
#include "results/matrix/render.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

int merge_command(const MergeOptions& options) {
    const fs::path out = options.out.empty() ? "zcrxlab-matrix" : options.out;
    std::vector<Matrix> parts;
    for (const std::string& from : options.from) {
        Result<std::vector<Matrix>> found = read_matrices(from, out);
        if (!found) return fail(found.error());
        for (Matrix& matrix : *found) parts.push_back(std::move(matrix));
    }
    std::vector<std::string> notes;
    const Result<Matrix> all = merged(parts, notes);
    if (!all) return fail(all.error());
    for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
    if (auto written = write_tables(out, *all); !written) return fail(written.error());
    fmt::print("{}tables: {}\n", to_text(*all, table_of(*all), terminal_width()),
               (fs::absolute(out) / "matrix.html").lexically_normal().string());
    return exit_code(*all);
}

}  // namespace zcrxlab
