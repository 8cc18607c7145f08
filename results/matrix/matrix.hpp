// Matrix: the runs of a suite on several kernels and NICs, as data, and its JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

// One scenario, chapter and feature as `zcrxlab list --json` tells them.
struct CatalogueTest {
    std::string name;
    std::string sentence;
    std::vector<std::string> needs;
};
struct CatalogueChapter {
    std::string name;
    std::string sentence;
    std::vector<CatalogueTest> tests;
};
struct CatalogueFeature {
    std::string name;
    std::string sentence;
};
struct Catalogue {
    std::vector<CatalogueChapter> chapters;
    std::vector<CatalogueFeature> features;
};

// What results must share to stand in one table.
struct MatrixTerms {
    std::string zcrxlab;  // version of this program
    std::string filter;
    std::string options;  // more options of `zcrxlab run`, as a shell takes them
    uint64_t seed = 1;

    bool operator==(const MatrixTerms&) const = default;
};

enum class RunState {
    kPlanned,       // has not been run, or was broken off
    kRan,           // `results` say how it ended
    kNotSupported,  // the kernel cannot serve this NIC; `message` says why
    kNotStarted,    // it could not be fetched or started; `message` says why
};

// What one more kernel costs.
struct RunCost {
    double fetch_seconds = 0;  // download and unpacking; 0 if it was in the cache
    double seconds = 0;        // from the start of the run to its end
    double cpu_seconds = 0;    // of QEMU, the NIC and zcrxlab, user and system
};

struct MatrixRun {
    std::string kernel;  // as --kernel takes it
    std::string nic;
    RunState state = RunState::kPlanned;
    std::string message = {};
    RunSummary results = {};
    RunCost cost = {};
    std::string command = {};  // the run as a whole, by hand
    std::string folder = {};   // its logs, relative to the file that says so
};

struct Matrix {
    MatrixTerms terms;
    Catalogue catalogue;
    std::vector<MatrixRun> runs;
};

// A name for a folder: "7.3.4-gve"; of a path, its last part and a number.
std::string folder_name(std::string_view kernel, std::string_view nic);

// What `zcrxlab list --json` prints. EINVAL if it is nothing like that.
Result<Catalogue> catalogue_from_json(std::string_view text);

// One run with the terms it was made on, as OUT/<run>/run.json has it, and back.
std::string to_json(const MatrixTerms& terms, const MatrixRun& run);
Result<std::pair<MatrixTerms, MatrixRun>> run_from_json(std::string_view text);

// matrix.json, and back. EINVAL if `text` is none.
std::string to_json(const Matrix& matrix);
Result<Matrix> matrix_from_json(std::string_view text);

// Empty if both can stand in one table; otherwise a sentence that says what differs.
std::string difference(const MatrixTerms& left, const MatrixTerms& right);

// All runs of all of them in one. EINVAL if their terms differ, or there is none. A run that
// several have is taken from the first in which it ran; `notes` says so.
Result<Matrix> merged(const std::vector<Matrix>& parts, std::vector<std::string>& notes);

// 0 all passed, 1 something failed, 4 nothing was judged, 64 a run could not be
// started, 124 one took too long, 255 a guest panicked or was lost. What happened to a guest
// outweighs the rest. Runs that are only planned do not count.
int exit_code(const Matrix& matrix);

}  // namespace zcrxlab
