// What was found about mistakes, as text and as JSON.
#include "results/coverage/attempts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <type_traits>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/base/time_left.hpp"
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

// Without what is empty, false or 0: read back, it is so again.
OrderedJson json_of(const Attempt& attempt) {
    OrderedJson json{{"name", attempt.name}};
    const auto add = [&json](const char* name, const auto& value) {
        if (value != std::decay_t<decltype(value)>{}) json[name] = value;
    };
    add("title", attempt.title);
    add("source", attempt.source);
    add("function", attempt.function);
    add("line", attempt.line);
    add("rule", attempt.rule);
    add("setting", attempt.setting);
    add("problem", attempt.problem);
    add("set_aside", attempt.set_aside);
    add("by_hand", attempt.by_hand);
    add("unreached", attempt.unreached);
    add("noticed", attempt.verdict.noticed);
    add("guest_ended", attempt.verdict.guest_ended);
    add("panicked", attempt.verdict.panicked);
    for (const AtTimes& one : attempt.at_times)
        json["at_times"].push_back(
            {{"test", one.test}, {"with", json_of(one.with)}, {"without", json_of(one.without)}});
    if (attempt.alone.runs > 0) json["alone"] = json_of(attempt.alone);
    add("test", attempt.verdict.test);
    add("nic", attempt.verdict.nic);
    add("invariants", attempt.verdict.invariants);
    add("said", attempt.verdict.said);
    add("seconds", attempt.verdict.seconds);
    add("build_seconds", attempt.build_seconds);
    add("run_seconds", attempt.run_seconds);
    return json;
}

// Without what its source says of it, what only people read, and how long all of it took.
Attempt without_words(Attempt attempt) {
    attempt.title = attempt.function = attempt.rule = attempt.verdict.said = "";
    if (outcome_of(attempt) == Outcome::kNoticed) attempt.setting.clear();
    attempt.build_seconds = attempt.run_seconds = 0;
    attempt.verdict.seconds = std::floor(attempt.verdict.seconds);
    return attempt;
}

Attempt attempt_from(const OrderedJson& json) {
    Attempt attempt;
    attempt.name = get_text(json, "name");
    attempt.title = get_text(json, "title");
    attempt.source = get_text(json, "source");
    attempt.function = get_text(json, "function");
    attempt.line = get_or(json, "line", 0U);
    attempt.rule = get_text(json, "rule");
    attempt.setting = get_text(json, "setting");
    attempt.problem = get_text(json, "problem");
    attempt.set_aside = get_text(json, "set_aside");
    attempt.by_hand = get_or(json, "by_hand", false);
    attempt.unreached = get_or(json, "unreached", false);
    attempt.verdict.noticed = get_or(json, "noticed", false);
    attempt.verdict.guest_ended = get_or(json, "guest_ended", false);
    attempt.verdict.panicked = get_or(json, "panicked", false);
    for (const OrderedJson& one : get_array(json, "at_times"))
        attempt.at_times.push_back({get_text(one, "test"), rate_from(get_object(one, "with")),
                                    rate_from(get_object(one, "without"))});
    attempt.alone = rate_from(get_object(json, "alone"));
    attempt.verdict.test = get_text(json, "test");
    attempt.verdict.nic = get_text(json, "nic");
    attempt.verdict.invariants = get_text(json, "invariants");
    attempt.verdict.said = get_text(json, "said");
    attempt.verdict.seconds = get_or(json, "seconds", 0.0);
    attempt.build_seconds = get_or(json, "build_seconds", 0.0);
    attempt.run_seconds = get_or(json, "run_seconds", 0.0);
    return attempt;
}

std::string how_often(const AtTimes& one) {
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

Outcome outcome_of(const Attempt& attempt) {
    if (!attempt.problem.empty()) return Outcome::kNotTried;
    if (!attempt.set_aside.empty()) return Outcome::kSetAside;
    if (attempt.verdict.noticed) return Outcome::kNoticed;
    return attempt.at_times.empty() ? Outcome::kNotNoticed : Outcome::kAtTimes;
}

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::kSetAside:
            return "set aside";
        case Outcome::kNoticed:
            return "noticed";
        case Outcome::kNotTried:
            return "not tried";
        case Outcome::kAtTimes:
            return "at times";
        case Outcome::kNotNoticed:
            return "not noticed";
    }
    return {};
}

std::string who_noticed(const Attempt& attempt) {
    const PatchVerdict& verdict = attempt.verdict;
    std::vector<std::string> each;
    switch (outcome_of(attempt)) {
        case Outcome::kSetAside:
            return attempt.set_aside;
        case Outcome::kNotTried:
            return attempt.problem;
        case Outcome::kNotNoticed:
            return attempt.unreached ? "No scenario comes by it." : "";
        case Outcome::kAtTimes:
            for (const AtTimes& one : attempt.at_times) each.push_back(how_often(one));
            return fmt::format("{}", fmt::join(each, "; "));
        case Outcome::kNoticed:
            return fmt::format("{}{}{}{}: {}", verdict.test.empty() ? "the guest" : verdict.test,
                               verdict.nic.empty() ? "" : " on " + verdict.nic,
                               verdict.invariants.empty() ? "" : " (" + verdict.invariants + ")",
                               rate_of(attempt.alone), on_one_line(verdict.said));
    }
    return {};
}

std::string line_of(const Attempt& attempt) {
    const Outcome outcome = outcome_of(attempt);
    const std::string who = who_noticed(attempt);
    if (outcome == Outcome::kNotTried)
        return fmt::format("not tried    {}: {}\n", attempt.name, who);
    if (outcome == Outcome::kSetAside)
        return fmt::format("set aside    {}: {}\n             {}\n", attempt.name, who,
                           attempt.title);
    std::string text = fmt::format("{:<12} {}  {:.0f} s: {}\n", name_of(outcome), attempt.name,
                                   attempt.run_seconds, attempt.title);
    if (!who.empty())
        text += fmt::format("             {}{}\n", outcome == Outcome::kNoticed ? "by " : "", who);
    if (outcome != Outcome::kNoticed && !attempt.setting.empty())
        text += fmt::format("             with {}\n", attempt.setting);
    return text;
}

std::string to_json(const Attempts& attempts) {
    const MutationScore score = score_of(attempts.all);
    const OrderedJson numbers{{"tried", score.tried},         {"noticed", score.noticed},
                              {"at_times", score.at_times},   {"unreached", score.unreached},
                              {"set_aside", score.set_aside}, {"by_hand", score.by_hand},
                              {"not_tried", score.not_tried}};
    std::string text = fmt::format("{{\"terms\": {},\n\"score\": {},\n\"mistakes\": [",
                                   json_text(OrderedJson(attempts.terms)), json_text(numbers));
    for (size_t i = 0; i < attempts.all.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + json_text(json_of(attempts.all[i]));
    return text + "\n]}\n";
}

std::string to_record(Attempts attempts) {
    std::erase_if(attempts.all, [](const Attempt& one) {
        return one.by_hand || outcome_of(one) == Outcome::kNotTried;
    });
    for (Attempt& one : attempts.all) one = without_words(std::move(one));
    return to_json(attempts);
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
        const Outcome outcome = outcome_of(attempt);
        const bool aside = outcome == Outcome::kSetAside, not_tried = outcome == Outcome::kNotTried;
        score.set_aside += aside ? 1 : 0;
        score.by_hand += aside && attempt.by_hand ? 1 : 0;
        score.not_tried += not_tried ? 1 : 0;
        score.tried += aside || not_tried ? 0 : 1;
        score.noticed += outcome == Outcome::kNoticed ? 1 : 0;
        score.at_times += outcome == Outcome::kAtTimes ? 1 : 0;
        score.unreached += outcome == Outcome::kNotNoticed && attempt.unreached ? 1 : 0;
    }
    return score;
}

std::string progress_text(size_t tried, size_t all, double seconds) {
    std::string text = fmt::format("tried {} of {}", tried, all);
    const std::string left = time_left(tried, all, seconds);
    return left.empty() ? text : text + ", " + left;
}

std::string to_text(const MutationScore& score) {
    std::string text = fmt::format("{} of {} noticed", score.noticed, score.tried);
    if (score.at_times > 0) text += fmt::format(", {} more at times", score.at_times);
    if (score.unreached > 0) text += fmt::format(", {} that no scenario comes by", score.unreached);
    if (score.set_aside > 0) text += fmt::format("; {} set aside", score.set_aside);
    if (score.by_hand > 0) text += fmt::format(", {} of them by hand", score.by_hand);
    if (score.not_tried > 0) text += fmt::format("; {} not tried", score.not_tried);
    return text;
}

}  // namespace zcrxlab
