// Reads the results of a run, and writes their page.
#include "cli/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/fail.hpp"
#include "results/run_page/folder_page.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// A page is passed on, so that it tells nothing of what may not be told.
RunSummary fit_for_page(RunSummary run) {
    run = fit_to_pass_on(findings(), std::move(run));
    for (TestResult& test : run.tests) {
        if (!is_embargoed(findings(), test)) continue;
        test.message = embargo_notice();
        test.trace.clear();
    }
    return run;
}

void say_where(const fs::path& page) {
    fmt::print("page: {}\n", fs::absolute(page).lexically_normal().string());
}

}  // namespace

Result<void> write_page_if_wanted(const RunSummary& run, const fs::path& folder,
                                  const std::string& html) {
    if (html.empty()) return {};
    if (auto written = write_page(fit_for_page(run), folder, html); !written) return written;
    say_where(html);
    return {};
}

int report_command(const ReportOptions& options) {
    const std::string page =
        options.html.empty() ? (fs::path(options.folder) / "report.html").string() : options.html;
    if (auto written = write_page_of_folder(options.folder, page, fit_for_page); !written)
        return fail(written.error());
    say_where(page);
    return 0;
}

}  // namespace zcrxlab
