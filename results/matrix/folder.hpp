// MatrixFolder: --out of a matrix, held by one at a time: a folder for each run, and the tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "results/matrix/matrix.hpp"

namespace zcrxlab {

class MatrixFolder {
  public:
    // Creates it. EBUSY if another matrix writes there.
    static Result<MatrixFolder> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path of_run(const std::string& kernel, const std::string& nic) const {
        return path_ / folder_name(kernel, nic);
    }

    // The runs that are finished there. EINVAL if one was made on other terms than `terms`; what
    // was broken off while it was written is none.
    Result<std::vector<MatrixRun>> finished(const MatrixTerms& terms) const;

    // A run that begins: its folder exists from now on, and what told of its last end is gone.
    Result<void> begin(const MatrixRun& run) const;
    // A run that is finished; seen as a whole or not at all.
    Result<void> finish(const MatrixTerms& terms, const MatrixRun& run) const;

  private:
    MatrixFolder(std::filesystem::path path, Fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}

    std::filesystem::path path_;
    Fd lock_;
};

// Writes matrix.json, matrix.md and matrix.html.
Result<void> write_tables(const std::filesystem::path& folder, const Matrix& matrix);

// The matrices in `path`: of the file, of the folder's matrix.json, or of the matrix.json of each
// folder in it. The folders of their runs are made relative to `target`. ENOENT if there is none.
Result<std::vector<Matrix>> read_matrices(const std::filesystem::path& path,
                                          const std::filesystem::path& target);

}  // namespace zcrxlab
