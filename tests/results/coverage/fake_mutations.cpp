// A source, and mistakes on its lines.
#include "tests/results/coverage/fake_mutations.hpp"

#include <utility>

namespace zcrxlab {
namespace {

constexpr const char* kPath = "io_uring/zcrx.c";

constexpr const char* kSource =
    "static int noticed(struct page *p)\n"                                                     // 1
    "{\n"                                                                                      // 2
    "\tif (a < b && p->x)\n"                                                                   // 3
    "\t\treturn \"<b>&amp;</b><script>document\";\n"                                           // 4
    "\treturn 0;\n"                                                                            // 5
    "}\n"                                                                                      // 6
    "\n"                                                                                       // 7
    "void mixed(void)\n"                                                                       // 8
    "{\n"                                                                                      // 9
    "\tone();\n"                                                                               // 10
    "\ttwo_with_a_long_line_that_does_not_fit_a_phone_and_has_to_be_scrolled_to(its, end);\n"  // 11
    "\tthree();\n"                                                                             // 12
    "\tfour();\n"                                                                              // 13
    "}\n"                                                                                      // 14
    "\n"                                                                                       // 15
    "void untouched(void)\n"                                                                   // 16
    "{\n"                                                                                      // 17
    "}\n";                                                                                     // 18

Attempt attempt(const char* function, uint32_t line, const char* rule) {
    Attempt attempt;
    attempt.name = std::string(function) + "-" + std::to_string(line) + "-" + rule;
    attempt.title = std::string(kPath) + ":1: x in y: \"<was>\" becomes \"<is>\"";
    attempt.source = kPath;
    attempt.function = function;
    attempt.line = line;
    attempt.rule = rule;
    return attempt;
}

Attempt noticed_by(Attempt attempt, const char* test) {
    attempt.verdict = {.noticed = true, .test = test, .invariants = "I1", .said = "It said <so>."};
    attempt.alone = {1, 3};
    return attempt;
}

}  // namespace

MutationReport fake_mutations() {
    MutationReport report;
    report.terms = "io_uring/zcrx.c <fixture>";
    report.sources[kPath] = kSource;
    report.misfits = {"Line 3 is about <nothing>"};
    auto& all = report.attempts;
    all.push_back(noticed_by(attempt("noticed", 3, "comparison"), "receive.one"));
    all.push_back(noticed_by(attempt("noticed", 3, "logic"), "receive.two"));
    all.push_back(noticed_by(attempt("noticed", 3, "condition-never"), "receive.three"));
    all.push_back(noticed_by(attempt("noticed", 3, "condition-always"), "receive.zzz"));
    all.push_back(noticed_by(attempt("mixed", 10, "call-left-out"), "receive.one"));
    all.push_back(attempt("mixed", 11, "call-left-out"));
    all.push_back(noticed_by(attempt("mixed", 11, "off-by-one"), "receive.one"));
    all.push_back(attempt("mixed", 12, "call-left-out"));
    all.back().at_times = {{"tcp.<fin>", {0, 3}, {}}};
    all.push_back(attempt("mixed", 13, "call-left-out"));
    all.back().set_aside = "It is <freed>.";
    all.back().by_hand = true;
    return report;
}

}  // namespace zcrxlab
