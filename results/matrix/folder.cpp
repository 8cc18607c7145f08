// Reads and writes the files of a matrix.
#include "results/matrix/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>

#include "harness/base/file.hpp"
#include "kernels/packages/cache.hpp"
#include "results/matrix/render.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRunFile = "run.json";
constexpr const char* kMatrixFile = "matrix.json";
constexpr size_t kLargest = size_t{512} << 20;

// The folders in `path`, by name.
std::vector<fs::path> folders_in(const fs::path& path) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path, error))
        if (entry.is_directory(error)) folders.push_back(entry.path());
    std::ranges::sort(folders);
    return folders;
}

}  // namespace

Result<MatrixFolder> MatrixFolder::open(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    Fd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock) return error_from_errno("open the folder " + path.string());
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{EBUSY, "Another matrix or bisection writes to " + path.string() +
                                "; name another folder with --out."};
    return MatrixFolder(fs::absolute(path).lexically_normal(), std::move(lock));
}

Result<std::vector<MatrixRun>> MatrixFolder::finished(const MatrixTerms& terms) const {
    std::vector<MatrixRun> runs;
    for (const fs::path& folder : folders_in(path_)) {
        const auto text = read_file(folder / kRunFile, kLargest);
        if (!text) continue;
        auto run = run_from_json(*text);
        if (!run) continue;
        if (const std::string differs = difference(run->first, terms); !differs.empty())
            return Error{EINVAL, "The results in " + path_.string() +
                                     " cannot stand beside new ones: " + differs +
                                     ". Name another folder with --out, or type: rm -r " +
                                     path_.string()};
        run->second.folder = folder.filename().string();
        runs.push_back(std::move(run->second));
    }
    return runs;
}

Result<void> MatrixFolder::begin(const MatrixRun& run) const {
    const fs::path folder = of_run(run.kernel, run.nic);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return error_from_errno("create " + folder.string(), error.value());
    for (const char* name : {kRunFile, "results.json"}) fs::remove(folder / name, error);
    return {};
}

Result<void> MatrixFolder::finish(const MatrixTerms& terms, const MatrixRun& run) const {
    return write_whole(of_run(run.kernel, run.nic) / kRunFile, to_json(terms, run));
}

Result<void> write_tables(const fs::path& folder, const Matrix& matrix) {
    std::error_code error;
    fs::create_directories(folder, error);
    const Table table = table_of(matrix);
    if (auto written = write_whole(folder / kMatrixFile, to_json(matrix)); !written) return written;
    if (auto written = write_whole(folder / "matrix.md", to_markdown(matrix, table)); !written)
        return written;
    return write_whole(folder / "matrix.html", to_page(matrix, table));
}

Result<std::vector<Matrix>> read_matrices(const fs::path& path, const fs::path& target) {
    std::vector<fs::path> files;
    if (fs::is_regular_file(path)) files = {path};
    if (fs::exists(path / kMatrixFile)) files = {path / kMatrixFile};
    if (files.empty())
        for (const fs::path& folder : folders_in(path))
            if (fs::exists(folder / kMatrixFile)) files.push_back(folder / kMatrixFile);
    if (files.empty())
        return Error{ENOENT, "There is no matrix.json in " + path.string() +
                                 ", nor in a folder of it; \"zcrxlab matrix\" writes one."};
    std::vector<Matrix> matrices;
    for (const fs::path& file : files) {
        const auto text = read_file(file, kLargest);
        if (!text) return text.error();
        Result<Matrix> matrix = matrix_from_json(*text);
        if (!matrix) return Error{EINVAL, file.string() + ": " + matrix.error().sentence};
        const fs::path home = fs::absolute(file).parent_path();
        for (MatrixRun& run : matrix->runs)
            if (!run.folder.empty())
                run.folder = (home / run.folder)
                                 .lexically_normal()
                                 .lexically_relative(fs::absolute(target).lexically_normal())
                                 .string();
        matrices.push_back(std::move(*matrix));
    }
    return matrices;
}

}  // namespace zcrxlab
