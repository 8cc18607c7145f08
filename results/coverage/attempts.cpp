// What was found about mistakes, as text and as JSON.
#include "results/coverage/attempts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const Attempt& attempt) {
    return {{"name", attempt.name},
            {"title", attempt.title},
            {"problem", attempt.problem},
            {"set_aside", attempt.set_aside},
            {"noticed", attempt.verdict.noticed},
            {"guest_ended", attempt.verdict.guest_ended},
            {"only_once", attempt.only_once},
            {"alone", {{"failed", attempt.alone.failed}, {"runs", attempt.alone.runs}}},
            {"test", attempt.verdict.test},
            {"invariants", attempt.verdict.invariants},
            {"said", attempt.verdict.said},
            {"build_seconds", attempt.build_seconds},
            {"run_seconds", attempt.run_seconds}};
}

Attempt attempt_from(const OrderedJson& json) {
    Attempt attempt;
    attempt.name = get_text(json, "name");
    attempt.title = get_text(json, "title");
    attempt.problem = get_text(json, "problem");
    attempt.set_aside = get_text(json, "set_aside");
    attempt.verdict.noticed = get_or(json, "noticed", false);
    attempt.verdict.guest_ended = get_or(json, "guest_ended", false);
    attempt.only_once = get_all<std::string>(json, "only_once");
    const OrderedJson& alone = get_object(json, "alone");
    attempt.alone = {get_or(alone, "failed", 0U), get_or(alone, "runs", 0U)};
    attempt.verdict.test = get_text(json, "test");
    attempt.verdict.invariants = get_text(json, "invariants");
    attempt.verdict.said = get_text(json, "said");
    attempt.build_seconds = get_or(json, "build_seconds", 0.0);
    attempt.run_seconds = get_or(json, "run_seconds", 0.0);
    return attempt;
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

std::string to_json(const Attempts& attempts) {
    OrderedJson found = OrderedJson::array();
    for (const Attempt& attempt : attempts.all) found.push_back(json_of(attempt));
    const OrderedJson all = {{"terms", attempts.terms}, {"mistakes", found}};
    return json_text(all, 2) + "\n";
}

Result<Attempts> attempts_from_json(std::string_view text) {
    const auto json = parse_ordered_json_object(text);
    if (!json) return json.error();
    const auto terms = get<std::string>(*json, "terms");
    if (!terms) return Error{EINVAL, "It does not say under which terms mistakes were made."};
    Attempts attempts{*terms, {}};
    for (const OrderedJson& one : get_array(*json, "mistakes"))
        if (one.is_object()) attempts.all.push_back(attempt_from(one));
    return attempts;
}

MutationScore score_of(const std::vector<Attempt>& attempts) {
    MutationScore score;
    for (const Attempt& attempt : attempts) {
        if (!attempt.problem.empty()) {
            ++score.not_tried;
        } else if (!attempt.set_aside.empty()) {
            ++score.set_aside;
        } else {
            ++score.tried;
            if (attempt.verdict.noticed)
                ++score.noticed;
            else if (!attempt.only_once.empty())
                ++score.at_times;
        }
    }
    return score;
}

std::string to_text(const MutationScore& score) {
    std::string text = fmt::format("{} of {} noticed", score.noticed, score.tried);
    if (score.at_times > 0) text += fmt::format(", {} more at times", score.at_times);
    if (score.set_aside > 0) text += fmt::format("; {} set aside", score.set_aside);
    if (score.not_tried > 0) text += fmt::format("; {} not tried", score.not_tried);
    return text;
}

}  // namespace zcrxlab
