// What lies in --out of a matrix.
#include <gtest/gtest.h>
#include <fstream>

#include "results/matrix/folder.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(MatrixFolder, FinishedRunsAreFoundAgainBrokenOffOnesAreNot) {
    const TemporaryFolder folder;
    const Matrix matrix = fake_matrix();
    const auto out = MatrixFolder::open(folder.path() / "out");
    ASSERT_TRUE(out);
    EXPECT_TRUE(out->finished(matrix.terms)->empty());
    for (const size_t run : {0U, 2U}) {
        ASSERT_TRUE(out->begin(matrix.runs[run]));
        ASSERT_TRUE(out->finish(matrix.terms, matrix.runs[run]));
    }
    // One was broken off while it ran, of one the file is damaged.
    ASSERT_TRUE(out->begin(matrix.runs[0]));
    folder.write("out/6.18-gve/run.json", "{\"format\":1,");
    folder.write("out/notes.txt", "mine");
    const auto finished = out->finished(matrix.terms);
    ASSERT_TRUE(finished) << finished.error().sentence;
    ASSERT_EQ(finished->size(), 1U);
    EXPECT_EQ(finished->front().kernel, "7.2");
    EXPECT_EQ(finished->front().folder, "7.2-gve");
    EXPECT_EQ(finished->front().results.tests.size(), 5U);
}

TEST(MatrixFolder, ResultsOnOtherTermsAreNotMixedIn) {
    const TemporaryFolder folder;
    Matrix matrix = fake_matrix();
    const auto out = MatrixFolder::open(folder.path() / "out");
    ASSERT_TRUE(out);
    ASSERT_TRUE(out->finish(matrix.terms, matrix.runs[2]));
    matrix.terms.filter = "tcp.*";
    const auto finished = out->finished(matrix.terms);
    ASSERT_FALSE(finished);
    EXPECT_NE(finished.error().sentence.find("receive.*"), std::string::npos);
    EXPECT_NE(finished.error().sentence.find("tcp.*"), std::string::npos);
}

TEST(MatrixFolder, OneAtATime) {
    const TemporaryFolder folder;
    const auto first = MatrixFolder::open(folder.path() / "out");
    ASSERT_TRUE(first);
    const auto second = MatrixFolder::open(folder.path() / "out");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, EBUSY);
}

TEST(MatrixFolder, MatricesAreReadFromAFileAFolderOrFoldersInIt) {
    const TemporaryFolder folder;
    const Matrix matrix = fake_matrix();
    for (const char* part : {"all/one", "all/two"})
        ASSERT_TRUE(write_tables(folder.path() / part, matrix));
    fs::create_directories(folder.path() / "all/none");
    for (const char* name : {"matrix.json", "matrix.md", "matrix.html"})
        EXPECT_TRUE(fs::exists(folder.path() / "all/one" / name)) << name;
    const fs::path out = folder.path() / "whole";
    EXPECT_EQ(read_matrices(folder.path() / "all/one/matrix.json", out)->size(), 1U);
    EXPECT_EQ(read_matrices(folder.path() / "all/one", out)->size(), 1U);
    const auto both = read_matrices(folder.path() / "all", out);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 2U);
    EXPECT_EQ(both->at(1).runs[2].folder, "../all/two/7.2-gve");
    EXPECT_FALSE(read_matrices(folder.path() / "all/none", out));
    folder.write("all/two/matrix.json", "{}");
    EXPECT_FALSE(read_matrices(folder.path() / "all", out));
}

}  // namespace
}  // namespace zcrxlab
