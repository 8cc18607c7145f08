// The page as text; tests/results/matrix/page looks at it in a browser.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/matrix/render.hpp"
#include "tests/results/matrix/fake_matrix.hpp"

namespace zcrxlab {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

std::string data_of(const std::string& page) {
    const std::string start = "id=\"data\">";
    const size_t from = page.find(start) + start.size();
    return page.substr(from, page.find("</script>", from) - from);
}

TEST(Page, HasTheDataWhole) {
    const Matrix matrix = fake_matrix();
    const std::string page = to_page(matrix, table_of(matrix));
    const auto data = nlohmann::json::parse(data_of(page), nullptr, false);
    ASSERT_TRUE(data.is_object());
    EXPECT_EQ(data["columns"].size(), 5U);
    EXPECT_EQ(data["rows"].size(), 6U);
    EXPECT_EQ(data["columns"][1]["cells"][2]["state"], "failed");
    // The failed test's message, through its number.
    const auto& test = data["columns"][1]["tests"][4];
    EXPECT_EQ(data["texts"][test[3].get<size_t>()], cleaned(kHostileText));
}

TEST(Page, NothingFromAGuestEndsTheScriptOrBeginsOne) {
    Matrix matrix = fake_matrix();
    matrix.terms.filter = matrix.runs[0].kernel = matrix.runs[0].folder = kHostileText;
    matrix.runs[1].message = matrix.runs[0].results.console = kHostileText;
    matrix.runs[0].results.tests[0].name = kHostileText;
    const std::string page = to_page(matrix, table_of(matrix));
    EXPECT_EQ(count_of(page, "<script"), 2U);
    EXPECT_EQ(count_of(page, "</script"), 2U);
    EXPECT_EQ(count_of(page, "<!--"), 0U);
    EXPECT_EQ(count_of(page, "<b>"), 0U);
    EXPECT_TRUE(nlohmann::json::accept(data_of(page)));
}

TEST(Page, NeedsNothingButItself) {
    const Matrix matrix = fake_matrix();
    const std::string page = to_page(matrix, table_of(matrix));
    for (const char* mark : {"http://", "https://", "/*STYLE*/", "/*SCRIPT*/", "/*DATA*/", "src="})
        EXPECT_EQ(count_of(page, mark), 0U) << mark;
    EXPECT_EQ(count_of(page, "prefers-color-scheme: dark"), 1U);
    EXPECT_EQ(count_of(page, "width=device-width"), 1U);
}

TEST(Page, AFolderIsAnAddressOfFilesOnly) {
    Matrix matrix = fake_matrix();
    matrix.runs[2].folder = "javascript:alert(1)";
    const auto data =
        nlohmann::json::parse(data_of(to_page(matrix, table_of(matrix))), nullptr, false);
    EXPECT_EQ(data["columns"][1]["folder"], "javascript%3Aalert%281%29");
}

}  // namespace
}  // namespace zcrxlab
