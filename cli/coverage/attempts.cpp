// What was found about mistakes, as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/coverage/laboratory.hpp"
#include "harness/base/exit_code.hpp"

namespace zcrxlab {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const Attempt& attempt) {
    return {{"name", attempt.name},
            {"title", attempt.title},
            {"problem", attempt.problem},
            {"set_aside", attempt.set_aside},
            {"noticed", attempt.verdict.noticed},
            {"only_once", attempt.only_once},
            {"alone", {{"failed", attempt.alone.failed}, {"runs", attempt.alone.runs}}},
            {"test", attempt.verdict.test},
            {"invariants", attempt.verdict.invariants},
            {"said", attempt.verdict.said},
            {"build_seconds", attempt.build_seconds},
            {"run_seconds", attempt.run_seconds}};
}

}  // namespace

std::string line_of(const Attempt& attempt) {
    if (!attempt.problem.empty())
        return fmt::format("not tried    {}: {}\n", attempt.name, attempt.problem);
    if (!attempt.set_aside.empty())
        return fmt::format("set aside    {}: {}\n             {}\n", attempt.name,
                           attempt.set_aside, attempt.title);
    const PatchVerdict& verdict = attempt.verdict;
    if (!verdict.noticed && !attempt.only_once.empty())
        return fmt::format(
            "at times     {}  {:.0f} s: {}\n             {} failed once, and not "
            "again alone\n",
            attempt.name, attempt.run_seconds, attempt.title, fmt::join(attempt.only_once, ", "));
    if (!verdict.noticed)
        return fmt::format("not noticed  {}  {:.0f} s: {}\n", attempt.name, attempt.run_seconds,
                           attempt.title);
    return fmt::format("noticed      {}  {:.0f} s: {}\n             by {}{}: {}\n", attempt.name,
                       attempt.run_seconds, attempt.title,
                       verdict.test.empty() ? "the guest" : verdict.test,
                       verdict.invariants.empty() ? "" : " (" + verdict.invariants + ")",
                       on_one_line(verdict.said));
}

std::string json_of(const std::vector<Attempt>& attempts, const std::string& filter) {
    OrderedJson found = OrderedJson::array();
    for (const Attempt& attempt : attempts) found.push_back(json_of(attempt));
    const OrderedJson all = {{"filter", filter}, {"patches", found}};
    return all.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

int say_score(const std::vector<Attempt>& attempts, const std::filesystem::path& out) {
    const auto count = [&](auto which) { return std::ranges::count_if(attempts, which); };
    const auto set_aside = count([](const Attempt& a) { return !a.set_aside.empty(); });
    const auto not_tried = count([](const Attempt& a) { return !a.problem.empty(); });
    const auto noticed = count([](const Attempt& a) { return a.verdict.noticed; });
    const auto at_times =
        count([](const Attempt& a) { return !a.verdict.noticed && !a.only_once.empty(); });
    const auto tried = static_cast<ptrdiff_t>(attempts.size()) - set_aside - not_tried;
    fmt::print("{} of {} noticed", noticed, tried);
    if (at_times > 0) fmt::print(", {} more at times", at_times);
    if (set_aside > 0) fmt::print("; {} set aside", set_aside);
    if (not_tried > 0) fmt::print("; {} not tried", not_tried);
    fmt::print("; results: {}\n", out.string());
    if (not_tried > 0) return kExitUsage;
    return noticed == tried ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
