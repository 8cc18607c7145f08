// Writes trials and results of a bisection as text.
#include "results/bisect/trial_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/base/time_left.hpp"

namespace zcrxlab {

namespace {

// "6.18.15-amd64" is as wide as names get.
constexpr size_t kKernelWidth = 13;
constexpr size_t kShownTests = 6;
constexpr size_t kShownLetters = 600;

std::string shortened(const std::string& text) {
    std::string line = on_one_line(text);
    if (line.size() <= kShownLetters) return line;
    size_t end = kShownLetters;
    // Not in the middle of a letter.
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
    return line.substr(0, end) + " ... (-v shows all)";
}

std::string whole(const std::string& text) {
    std::string lines;
    std::istringstream stream(cleaned(text));
    for (std::string line; std::getline(stream, line);) lines += "\n        " + line;
    return lines;
}

bool has_said(const Trial& trial, const JudgedTest& test) {
    return std::ranges::any_of(trial.judgement.tests, [&](const JudgedTest& other) {
        return other.name == test.name && other.status == test.status && other.said == test.said;
    });
}

std::string symptoms(const Judgement& judgement, const Trial* before, bool verbose) {
    std::string text;
    if (judgement.verdict == Verdict::kUnclear)
        text += fmt::format("    {}\n", shortened(judgement.why));
    size_t shown = 0, hidden = 0;
    for (const JudgedTest& test : judgement.tests) {
        if (!verbose && test.verdict != Verdict::kBad) continue;
        if (!verbose && shown == kShownTests) {
            ++hidden;
            continue;
        }
        ++shown;
        text += fmt::format("    {} {}", on_one_line(test.name), test.status);
        if (!verbose && before != nullptr && has_said(*before, test))
            text += ", just as on " + before->run.kernel;
        else if (!test.said.empty())
            text += ":" + (verbose ? whole(test.said) : " " + shortened(test.said));
        text += "\n";
    }
    if (hidden > 0) text += fmt::format("    and {} more\n", hidden);
    return text;
}

std::string names(const std::vector<size_t>& indices, const std::vector<std::string>& kernels) {
    std::string text;
    for (const size_t index : indices) text += (text.empty() ? "" : ", ") + kernels.at(index);
    return text;
}

}  // namespace

std::string trial_text(const Trial& trial, const std::string& left, const Trial* shown,
                       bool verbose) {
    std::string text = fmt::format("{:<{}} {:<16} {:>4.0f} s", trial.run.kernel, kKernelWidth,
                                   name_of(trial.judgement.verdict), trial.run.cost.seconds);
    if (!left.empty()) text += "  " + left;
    if (trial.earlier) text += left.empty() ? "  tried earlier" : ", tried earlier";
    text += "\n" + symptoms(trial.judgement, shown, verbose);
    if (verbose && !trial.run.folder.empty())
        text += fmt::format("    logs: {}\n", trial.run.folder);
    return text;
}

std::string left_text(const Bisection& bisection, double seconds) {
    const size_t left = bisection.left();
    if (left == 0) return "none left";
    const size_t most = bisection.unclear().empty() ? bisection.steps() : left;
    return fmt::format("{} kernel{} left, {} more to try at most, about {}", left,
                       left == 1 ? "" : "s", most,
                       time_in_words(static_cast<double>(most) * seconds));
}

std::string result_text(const Bisection& bisection, const std::vector<std::string>& kernels,
                        const Trial& older, const Trial& newer,
                        const std::vector<std::string>& by_hand) {
    const std::string_view old_word = name_of(older.judgement.verdict);
    const std::string_view new_word = name_of(newer.judgement.verdict);
    const std::vector<size_t> unclear = bisection.unclear();
    std::string text = fmt::format(
        "\n{} is the newest {} kernel, {} the oldest {} one, of those that can be had{}.\n",
        older.run.kernel, old_word, newer.run.kernel, new_word,
        unclear.empty() ? "" : " and judged");
    text += fmt::format("{} {}\n{}", older.run.kernel, old_word,
                        symptoms(older.judgement, nullptr, false));
    text += fmt::format("{} {}\n{}", newer.run.kernel, new_word,
                        symptoms(newer.judgement, nullptr, false));
    if (!unclear.empty())
        text += fmt::format(
            "Between them {} cannot be judged: {}. It changed in one of these, or in "
            "{}.\n",
            unclear.size(), names(unclear, kernels), newer.run.kernel);
    if (const auto against = bisection.against(); !against.empty())
        text += fmt::format(
            "It changed more than once: {} {} not what this one change would make "
            "of {}; narrow down around {}, too.\n",
            names(against, kernels), against.size() == 1 ? "is" : "are",
            against.size() == 1 ? "it" : "them", against.size() == 1 ? "it" : "them");
    text += "To see it:\n";
    for (const std::string& command : by_hand) text += "  " + command + "\n";
    return text;
}

}  // namespace zcrxlab
