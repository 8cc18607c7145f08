// What was found about mistakes, as text and as JSON.
#include "results/coverage/attempts.hpp"

#include <fmt/format.h>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const FailureRate& rate) {
    return {{"failed", rate.failed}, {"runs", rate.runs}};
}

FailureRate rate_from(const OrderedJson& json) {
    return {get_or(json, "failed", 0U), get_or(json, "runs", 0U)};
}

OrderedJson json_of(const Attempt& attempt) {
    OrderedJson at_times = OrderedJson::array();
    for (const AtTimes& one : attempt.at_times)
        at_times.push_back(
            {{"test", one.test}, {"with", json_of(one.with)}, {"without", json_of(one.without)}});
    return {{"name", attempt.name},
            {"title", attempt.title},
            {"source", attempt.source},
            {"function", attempt.function},
            {"line", attempt.line},
            {"problem", attempt.problem},
            {"set_aside", attempt.set_aside},
            {"noticed", attempt.verdict.noticed},
            {"guest_ended", attempt.verdict.guest_ended},
            {"at_times", at_times},
            {"alone", json_of(attempt.alone)},
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
    attempt.source = get_text(json, "source");
    attempt.function = get_text(json, "function");
    attempt.line = get_or(json, "line", 0U);
    attempt.problem = get_text(json, "problem");
    attempt.set_aside = get_text(json, "set_aside");
    attempt.verdict.noticed = get_or(json, "noticed", false);
    attempt.verdict.guest_ended = get_or(json, "guest_ended", false);
    for (const OrderedJson& one : get_array(json, "at_times"))
        attempt.at_times.push_back({get_text(one, "test"), rate_from(get_object(one, "with")),
                                    rate_from(get_object(one, "without"))});
    attempt.alone = rate_from(get_object(json, "alone"));
    attempt.verdict.test = get_text(json, "test");
    attempt.verdict.invariants = get_text(json, "invariants");
    attempt.verdict.said = get_text(json, "said");
    attempt.build_seconds = get_or(json, "build_seconds", 0.0);
    attempt.run_seconds = get_or(json, "run_seconds", 0.0);
    return attempt;
}

std::string line_of(const AtTimes& one) {
    std::string text = fmt::format("{} failed, and alone in {} of {} runs", one.test,
                                   one.with.failed, one.with.runs);
    if (one.without.failed > 0)
        text += fmt::format(", but without the mistake in {} of {}", one.without.failed,
                            one.without.runs);
    return text;
}

// Nothing, if it failed in each.
std::string rate_of(const FailureRate& alone) {
    if (alone.failed >= alone.runs) return {};
    return fmt::format(" in {} of {} runs", alone.failed, alone.runs);
}

}  // namespace

std::string line_of(const Attempt& attempt) {
    if (!attempt.problem.empty())
        return fmt::format("not tried    {}: {}\n", attempt.name, attempt.problem);
    if (!attempt.set_aside.empty())
        return fmt::format("set aside    {}: {}\n             {}\n", attempt.name,
                           attempt.set_aside, attempt.title);
    const PatchVerdict& verdict = attempt.verdict;
    if (!verdict.noticed && !attempt.at_times.empty()) {
        std::string text = fmt::format("at times     {}  {:.0f} s: {}\n", attempt.name,
                                       attempt.run_seconds, attempt.title);
        for (const AtTimes& one : attempt.at_times)
            text += fmt::format("             {}\n", line_of(one));
        return text;
    }
    if (!verdict.noticed)
        return fmt::format("not noticed  {}  {:.0f} s: {}\n", attempt.name, attempt.run_seconds,
                           attempt.title);
    return fmt::format("noticed      {}  {:.0f} s: {}\n             by {}{}{}: {}\n", attempt.name,
                       attempt.run_seconds, attempt.title,
                       verdict.test.empty() ? "the guest" : verdict.test,
                       verdict.invariants.empty() ? "" : " (" + verdict.invariants + ")",
                       rate_of(attempt.alone), on_one_line(verdict.said));
}

std::string to_json(const Attempts& attempts) {
    OrderedJson found = OrderedJson::array();
    for (const Attempt& attempt : attempts.all) found.push_back(json_of(attempt));
    OrderedJson compiled = OrderedJson::array();
    for (const auto& [source, name] : attempts.compiled)
        compiled.push_back({{"source", source}, {"name", name}});
    const OrderedJson all = {
        {"terms", attempts.terms}, {"mistakes", found}, {"other_code", compiled}};
    return json_text(all, 2) + "\n";
}

Result<Attempts> attempts_from_json(std::string_view text) {
    const auto json = parse_ordered_json_object(text);
    if (!json) return json.error();
    const auto terms = get<std::string>(*json, "terms");
    if (!terms) return Error{EINVAL, "It does not say under which terms mistakes were made."};
    Attempts attempts{*terms, {}, {}};
    for (const OrderedJson& one : get_array(*json, "mistakes"))
        if (one.is_object()) attempts.all.push_back(attempt_from(one));
    for (const OrderedJson& one : get_array(*json, "other_code"))
        attempts.compiled.emplace_back(get_text(one, "source"), get_text(one, "name"));
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
            else if (!attempt.at_times.empty())
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
