// Profiles come from a guest, reports from another program, sources from any kernel tree.
//
// reaches kernels/coverage/profile.cpp: if (path.is_absolute() || path.extension() != ".gcda" ||
// reaches 65 % of kernels/c_source/functions.cpp
// reaches 40 % of results/coverage/scope.cpp
// reaches 30 % of results/coverage/page.cpp
// reaches 60 % of results/coverage/page_parts.cpp
// reaches 75 % of results/coverage/mutation_page.cpp
// reaches 55 % of results/coverage/text.cpp
// reaches 40 % of results/coverage/reasons.cpp
// reaches 60 % of results/coverage/attempts.cpp
// reaches 50 % of results/coverage/reached_mistakes.cpp
// reaches kernels/coverage/coverage.cpp: if (branches[i].is_object()) line.branches[i] += number
#include <cstdint>

#include "kernels/c_source/functions.hpp"
#include "kernels/coverage/profile.hpp"
#include "results/coverage/attempts.hpp"
#include "results/coverage/mutation_page.hpp"
#include "results/coverage/reached_mistakes.hpp"
#include "results/coverage/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(parse_profile(text));
    ReachedMistakes reached;
    if (reached.add(text)) static_cast<void>(reached.tests_at("reached_zcrx", size));
    static_cast<void>(functions_of(text));
    if (const auto attempts = attempts_from_json(text)) {
        static_cast<void>(to_text(score_of(attempts->all)));
        for (const Attempt& attempt : attempts->all) static_cast<void>(line_of(attempt));
        if (to_json(*attempts_from_json(to_json(*attempts))) != to_json(*attempts))
            __builtin_trap();
        const MutationReport page{
            attempts->terms, {{"a.c", "int f(void)\n{\n\tg();\n}\n"}}, attempts->all, {}};
        if (to_page(page).find("</main>") == std::string::npos) __builtin_trap();
    }
    static_cast<void>(parse_scope(text));
    static_cast<void>(parse_reasons(text));
    Coverage coverage;
    if (add_gcov(coverage, text, "/tree")) {
        CoverageReport report;
        Scope scope;
        for (const auto& [path, file] : coverage) {
            scope[path];
            report.sources[path] = text;
        }
        auto part = within(scope, coverage, report.sources);
        if (!part) return 0;
        report.columns.push_back({"suite", std::move(*part)});
        static_cast<void>(to_text(report));
        static_cast<void>(to_json(report));
        static_cast<void>(to_page(report));
    }
    return 0;
}
