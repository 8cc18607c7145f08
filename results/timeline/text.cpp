// A timeline as text: a line for each item, with what repeats folded.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "results/timeline/fold.hpp"
#include "results/timeline/render.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kTimeColumns = 15;  // "   12345.678 ms"
constexpr size_t kAround = 15;       // items on either side of a failure

// 1234567 as "1,234,567".
std::string grouped(uint64_t number) {
    std::string text = std::to_string(number);
    for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

std::string in_milliseconds(int64_t nanoseconds) {
    return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string plural(size_t count, const char* one) {
    return fmt::format("{} {}{}", grouped(count), one, count == 1 ? "" : "s");
}

// `text` at column `indent`, cut between words; the first line begins with `head`.
void put(std::string& out, const std::string& head, const std::string& text, size_t indent,
         size_t width) {
    std::string line = head;
    line.resize(std::max(line.size(), indent), ' ');
    bool empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!empty && line.size() + 1 + word.size() > width) {
            out += line + "\n";
            line.assign(indent + 2, ' ');
            empty = true;
        }
        if (!empty) line += ' ';
        line += word;
        empty = false;
    }
    out += line + "\n";
}

// What the items [from, to) were, by lane and kind.
std::string summary_of_items(const Timeline& timeline, size_t from, size_t to) {
    struct Sum {
        size_t count = 0;
        uint64_t bytes = 0;
    };
    std::map<uint16_t, std::map<ItemKind, Sum>> lanes;
    for (size_t i = from; i < to; ++i) {
        const Item& item = timeline.items[i];
        Sum& sum = lanes[item.lane][item.kind];
        ++sum.count;
        sum.bytes += item.bytes;
    }
    std::string text;
    for (const auto& [lane, sums] : lanes) {
        text += fmt::format("{}{}: ", text.empty() ? "" : "; ", timeline.lanes[lane].brief);
        const char* separator = "";
        for (const auto& [kind, sum] : sums) {
            text += fmt::format("{}{} {}", separator, grouped(sum.count), name_of(kind));
            if (sum.bytes != 0) text += fmt::format(" of {} bytes", grouped(sum.bytes));
            separator = ", ";
        }
    }
    return text;
}

std::vector<Fold> around_failures(const Timeline& timeline) {
    std::vector<Fold> folds;
    size_t reached = 0;
    for (const Breach& failure : timeline.failures) {
        const size_t from = std::max(reached, failure.item > kAround ? failure.item - kAround : 0);
        const size_t to = std::min(timeline.items.size(), failure.item + kAround + 1);
        if (from > reached) folds.push_back({reached, from, true});
        const std::vector<Fold> shown = unfolded(from, std::max(from, to));
        folds.insert(folds.end(), shown.begin(), shown.end());
        reached = std::max(reached, to);
    }
    if (reached < timeline.items.size()) folds.push_back({reached, timeline.items.size(), true});
    return folds;
}

std::string title_of(const Timeline& timeline) {
    std::string title = timeline.test.empty() ? "one trace" : timeline.test;
    if (timeline.status)
        title += fmt::format(": {}, {:.2f} s", name_of(*timeline.status), timeline.seconds);
    const auto events = std::ranges::count_if(
        timeline.items, [](const Item& item) { return item.event != Item::kNoEvent; });
    title += fmt::format("{} {}", timeline.status ? ";" : ":",
                         plural(static_cast<size_t>(events), "event"));
    for (const auto& [kind, what] :
         {std::pair(ItemKind::kFrame, "frame"), std::pair(ItemKind::kWrite, "DMA write")}) {
        const auto count = std::ranges::count(timeline.items, kind, &Item::kind);
        if (count != 0) title += ", " + plural(static_cast<size_t>(count), what);
    }
    if (timeline.left_out != 0)
        title += fmt::format("; the run kept no more of what passed: {} are missing",
                             plural(timeline.left_out, "event"));
    return title;
}

}  // namespace

std::string to_text(const Timeline& timeline, const TextTerms& terms) {
    std::string out;
    put(out, "", title_of(timeline), 0, terms.width);
    std::istringstream message(timeline.message);
    for (std::string line; std::getline(message, line);)
        put(out, "    ", on_one_line(line), 4, terms.width);

    size_t names = 4;
    for (const Lane& lane : timeline.lanes)
        names = std::max(names, std::min<size_t>(lane.brief.size(), 14));
    const size_t indent = kTimeColumns + 2 + names + 2;
    const std::vector<Fold> folds = terms.around_failure ? around_failures(timeline)
                                    : terms.everything   ? unfolded(0, timeline.items.size())
                                                         : folds_of(timeline);
    auto failure = timeline.failures.begin();
    for (const Fold& fold : folds) {
        const Item& item = timeline.items[fold.from];
        if (fold.folded) {
            const int64_t took = timeline.items[fold.to - 1].at - item.at;
            put(out, fmt::format("{:>{}}", "...", kTimeColumns),
                fmt::format("{} more in {} ({})", grouped(fold.to - fold.from),
                            in_milliseconds(took), summary_of_items(timeline, fold.from, fold.to)),
                kTimeColumns + 2, terms.width);
            while (failure != timeline.failures.end() && failure->item < fold.to) ++failure;
            continue;
        }
        put(out,
            fmt::format("{:>{}}  {:<{}}", in_milliseconds(item.at), kTimeColumns,
                        timeline.lanes[item.lane].brief, names),
            item.text, indent, terms.width);
        for (; failure != timeline.failures.end() && failure->item == fold.from; ++failure)
            put(out, "  >>>>>>>>>>>>>",
                failure->name.empty()
                    ? failure->sentence
                    : fmt::format("{} is broken here: {}", failure->name, failure->sentence),
                kTimeColumns + 2, terms.width);
    }
    return out;
}

std::vector<const TestResult*> tests_without(
    const std::vector<Timeline>& timelines, const RunSummary* results,
    const std::function<bool(const std::string&)>& wanted) {
    std::vector<const TestResult*> without;
    if (results == nullptr) return without;
    std::set<std::string> told;
    for (const Timeline& timeline : timelines) told.insert(timeline.test);
    for (const TestResult& test : results->tests)
        if (wanted(test.name) && !told.contains(on_one_line(test.name))) without.push_back(&test);
    return without;
}

std::string text_of_untraced(const std::vector<const TestResult*>& untraced) {
    if (untraced.empty()) return {};
    std::string text = plural(untraced.size(), "test") + " without a trace:\n";
    for (const TestResult* test : untraced) {
        const std::string why = on_one_line(test->message.substr(0, test->message.find('\n')));
        text += fmt::format("    {}: {}{}\n", on_one_line(test->name), name_of(test->status),
                            why.empty() ? "" : ": " + why);
    }
    return text;
}

std::string summary_of(const std::vector<Timeline>& timelines) {
    std::map<std::string, size_t> counts;
    size_t events = 0;
    std::string where;
    for (const Timeline& timeline : timelines) {
        ++counts[timeline.status ? std::string(name_of(*timeline.status)) : "without a verdict"];
        for (const Item& item : timeline.items) events += item.event != Item::kNoEvent ? 1 : 0;
        const bool bad = timeline.status ? timeline.status == TestStatus::kFailed ||
                                               timeline.status == TestStatus::kLost
                                         : !timeline.failures.empty();
        if (bad)
            where += fmt::format("    {}\n", timeline.test.empty() ? "one trace" : timeline.test);
    }
    std::string text =
        fmt::format("{}, {}", plural(timelines.size(), "test"), plural(events, "event"));
    for (const auto& [name, count] : counts) text += fmt::format(", {} {}", grouped(count), name);
    return text + (where.empty() ? "\n" : "; not as promised:\n" + where);
}

}  // namespace zcrxlab
