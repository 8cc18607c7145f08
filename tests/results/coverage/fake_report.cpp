// A source, and counts for its lines.
#include "tests/results/coverage/fake_report.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kPath = "io_uring/zcrx.c";

constexpr const char* kSource =
    "#include <a.h>\n"                                                                         // 1
    "\n"                                                                                       // 2
    "static int taken(struct page *p)\n"                                                       // 3
    "{\n"                                                                                      // 4
    "\tif (a < b && p->x)\n"                                                                   // 5
    "\t\treturn \"<b>&amp;</b><script>document\";\n"                                           // 6
    "\treturn 0;\n"                                                                            // 7
    "}\n"                                                                                      // 8
    "\n"                                                                                       // 9
    "static inline void half(void)\n"                                                          // 10
    "{\n"                                                                                      // 11
    "\tone();\n"                                                                               // 12
    "\ttwo_with_a_long_line_that_does_not_fit_a_phone_and_has_to_be_scrolled_to(its, end);\n"  // 13
    "}\n"                                                                                      // 14
    "\n"                                                                                       // 15
    "void never(void)\n"                                                                       // 16
    "{\n"                                                                                      // 17
    "\tthree();\n"                                                                             // 18
    "}\n";                                                                                     // 19

LineCoverage line(uint64_t count, std::vector<uint64_t> branches = {}) {
    return {count, std::move(branches), {}};
}

Coverage counted(uint64_t times) {
    FileCoverage file;
    file.functions["taken"] = {"taken", 3, 8, times};
    file.lines[3] = line(times);
    file.lines[5] = line(times, {times, 0});
    file.lines[6] = line(times);
    file.lines[7] = line(times);
    // gcov gives lines of inlined functions to the one above.
    file.lines[10] = line(times);
    file.lines[12] = line(times);
    file.lines[13] = line(0);
    file.functions["never"] = {"never", 16, 19, 0};
    file.lines[16] = line(0);
    file.lines[18] = line(0);
    return {{kPath, file}};
}

}  // namespace

CoverageReport fake_report() {
    CoverageReport report;
    report.kernel = "7.3.4 <fixture>";
    report.sources[kPath] = kSource;
    report.reasons[{kPath, "half"}] = "two() is <never> needed";
    const Scope scope{{kPath, {}}};
    const auto column = [&](const std::string& name, uint64_t times) {
        const auto part = within(scope, counted(times), report.sources);
        report.columns.push_back({name, part ? *part : Coverage()});
    };
    column("suite", 1'234'567);
    column("selftest", 3);
    column("liburing", 0);
    report.misfits = misfits(report.reasons, report.columns.front().coverage);
    return report;
}

}  // namespace zcrxlab
