// The page of a run has what the run told, as text.
#include "results/run_page/run_page.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "results/run_page/folder_page.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/results/run_page/told_run.hpp"

namespace zcrxlab {
namespace {

bool has(const std::string& page, std::string_view words) {
    return page.find(words) != std::string::npos;
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RunPage, TellsEachFailureWithItsCommand) {
    const std::string page = run_page(told_run(), {});
    EXPECT_TRUE(has(page, "vm/zcrxlab run --seed 7 --filter cqe32.hostile</pre>"));
    // A situation is called by its own name.
    EXPECT_TRUE(has(page, "--filter cq_full</pre>"));
    EXPECT_TRUE(has(page, "Of 65536 bytes it took 512."));
    EXPECT_TRUE(has(page, "2 failed</span>"));
    EXPECT_TRUE(has(page, "QEMU died."));
    EXPECT_TRUE(has(page, "last words"));
    RunSummary silent = told_run();
    silent.properties.clear();
    EXPECT_FALSE(has(run_page(silent, {}), "Again:"));
}

TEST(RunPage, TextIsNoMarkup) {
    const std::string page = run_page(told_run(), {{"<b>", "\"><b>"}});
    EXPECT_FALSE(has(page, "<script"));
    EXPECT_FALSE(has(page, "<b>"));
    EXPECT_FALSE(has(page, "<i>"));
    EXPECT_FALSE(has(page, "<fixture>"));
    EXPECT_TRUE(has(page, "&lt;b&gt;wrong&lt;/b&gt;"));
}

TEST(RunPage, LinksWhatLiesInTheFolder) {
    const TemporaryFolder folder;
    const std::filesystem::path out = folder.path() / "a b";
    std::filesystem::create_directory(out);
    const auto unchanged = [](RunSummary run) { return run; };
    EXPECT_EQ(write_page_of_folder(out, out / "report.html", unchanged).error().code, ENOENT);
    std::ofstream(out / "results.json") << "{";
    EXPECT_FALSE(write_page_of_folder(out, out / "report.html", unchanged));
    std::ofstream(out / "results.json") << to_json(told_run());
    std::ofstream(out / "trace.html") << "x";
    ASSERT_TRUE(write_page_of_folder(out, out / "report.html", unchanged));
    EXPECT_TRUE(has(content_of(out / "report.html"), "href=\"trace.html\""));
    EXPECT_FALSE(has(content_of(out / "report.html"), "matrix.html"));
    ASSERT_TRUE(write_page_of_folder(out, folder.path() / "page.html", unchanged));
    EXPECT_TRUE(has(content_of(folder.path() / "page.html"), "href=\"a%20b/trace.html\""));
    EXPECT_FALSE(write_page_of_folder(out, folder.path() / "no" / "page.html", unchanged));
}

}  // namespace
}  // namespace zcrxlab
