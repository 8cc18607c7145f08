// zcrxlab report: makes one page of a finished run.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct ReportOptions {
    std::string folder;  // the --out of a run
    std::string html;    // where the page goes; empty: report.html in the folder
};

void add_report_options(CLI::App& app, ReportOptions& options);
std::string report_manual();
// 0 once the page is written, whatever it tells.
int report_command(const ReportOptions& options);

// --html of the commands whose run leaves results.json.
void add_page_option(CLI::App& app, std::string& html);
// Writes the page of `run`, whose results are in `folder`, and says where it is; nothing for an
// empty `html`.
Result<void> write_page_if_wanted(const RunSummary& run, const std::filesystem::path& folder,
                                  const std::string& html);

}  // namespace zcrxlab
