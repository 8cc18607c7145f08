// The table as one HTML page: the page of page/ with the matrix as JSON in it.
//
// What came out of guests is only ever data: it is JSON without "<", and the page makes text nodes
// of it, never markup.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "results/matrix/page_files.hpp"
#include "results/matrix/render.hpp"
#include "results/page/html.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::ordered_json;

// Long texts that many tests share stand in the page once.
class Texts {
  public:
    size_t number_of(const std::string& text) {
        const auto [found, added] = numbers_.try_emplace(cleaned(text), list_.size());
        if (added) list_.push_back(found->first);
        return found->second;
    }
    Json list() const { return list_; }

  private:
    std::map<std::string, size_t> numbers_;
    Json list_ = Json::array();
};

// A folder of ours, as part of an address; empty if it could lead elsewhere than to files.
std::string address_of(const std::string& folder) {
    std::string address;
    for (const char c : cleaned(folder)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
        address +=
            plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return address;
}

Json json_of(const TestResult& test, Texts& texts) {
    std::string trace;
    for (const std::string& line : test.trace) trace += line + "\n";
    return {texts.number_of(test.name),
            name_of(test.status),
            std::isfinite(test.seconds) ? std::round(test.seconds * 100) / 100 : 0,
            texts.number_of(test.message),
            texts.number_of(test.reference),
            texts.number_of(trace)};
}

Json json_of(const Matrix& matrix, const Column& column, Texts& texts) {
    const MatrixRun& run = *column.run;
    Json cells = Json::array();
    for (const Cell& cell : column.cells)
        cells.push_back({{"state", name_of(cell.state)},
                         {"note", texts.number_of(cell.note)},
                         {"counts", cell.counts},
                         {"tests", cell.tests}});
    Json tests = Json::array();
    for (const TestResult& test : run.results.tests) tests.push_back(json_of(test, texts));
    return {{"kernel", cleaned(run.kernel)},
            {"nic", cleaned(run.nic)},
            {"release", cleaned(run.results.kernel)},
            {"ran", run.state == RunState::kRan},
            {"command", cleaned(run.command)},
            {"whole", cleaned(command_for(run, matrix.terms.filter))},
            {"folder", address_of(run.folder)},
            {"console", texts.number_of(run.results.console)},
            {"seconds", run.cost.seconds},
            {"cpu", run.cost.cpu_seconds},
            {"fetch", run.cost.fetch_seconds},
            {"cells", std::move(cells)},
            {"tests", std::move(tests)}};
}

Json json_of(const Matrix& matrix, const Table& table) {
    Texts texts;
    texts.number_of("");  // number 0
    Json rows = Json::array(), columns = Json::array(), sentences = Json::object();
    for (const Row& row : table.rows)
        rows.push_back({{"kind", row.kind == RowKind::kGuest     ? "guest"
                                 : row.kind == RowKind::kChapter ? "chapter"
                                                                 : "feature"},
                        {"name", cleaned(row.name)},
                        {"sentence", cleaned(row.sentence)}});
    for (const Column& column : table.columns) columns.push_back(json_of(matrix, column, texts));
    Json skipped = Json::array();
    for (const SkippedRuns& runs : table.skipped) {
        Json kernels = Json::array();
        for (const std::string& kernel : runs.kernels) kernels.push_back(cleaned(kernel));
        skipped.push_back({{"nic", cleaned(runs.nic)},
                           {"kernels", std::move(kernels)},
                           {"why", cleaned(runs.why)}});
    }
    for (const CatalogueChapter& chapter : matrix.catalogue.chapters)
        for (const CatalogueTest& test : chapter.tests)
            sentences[cleaned(test.name)] = cleaned(test.sentence);
    return {{"zcrxlab", cleaned(matrix.terms.zcrxlab)},
            {"filter", cleaned(matrix.terms.filter)},
            {"options", cleaned(matrix.terms.options)},
            {"seed", std::to_string(matrix.terms.seed)},
            {"totals", totals(table)},
            {"rows", std::move(rows)},
            {"columns", std::move(columns)},
            {"skipped", std::move(skipped)},
            {"sentences", std::move(sentences)},
            {"texts", texts.list()}};
}

}  // namespace

std::string to_page(const Matrix& matrix, const Table& table) {
    return page_of({.name = "zcrxlab matrix",
                    .style = matrix_page::kCss,
                    .body = matrix_page::kHtml,
                    .data = inside_script(json_of(matrix, table)),
                    .more = {},
                    .script = matrix_page::kScript});
}

}  // namespace zcrxlab
