// I8: the NIC's configuration is what it was before.
#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kLinesShown = 8;

// Lines of `from` that `other` does not have as often, in order, each behind `mark`.
void add_missing(std::vector<std::string>& into, char mark, const std::vector<std::string>& from,
                 const std::vector<std::string>& other) {
    std::map<std::string_view, size_t> there;
    for (const std::string& line : other) ++there[line];
    for (const std::string& line : from) {
        const auto found = there.find(line);
        if (found != there.end() && found->second > 0)
            --found->second;
        else
            into.push_back(fmt::format("{} {}", mark, line));
    }
}

std::string differences(const NicCompared& e) {
    std::vector<std::string> lines;
    add_missing(lines, '-', e.before, e.after);
    add_missing(lines, '+', e.after, e.before);
    if (lines.empty()) return "the same lines in another order";
    std::string text;
    for (size_t i = 0; i < lines.size() && i < kLinesShown; ++i)
        text += (i == 0 ? "" : "; ") + lines[i];
    if (lines.size() > kLinesShown)
        text += fmt::format("; and {} more", lines.size() - kLinesShown);
    return text;
}

}  // namespace

std::vector<Violation> check_nic(Events events) {
    Findings findings(Invariant::kI8);
    std::map<std::string, size_t> compared;  // to the last comparison
    each_of<NicCompared>(events, [&](size_t index, const NicCompared& e) {
        compared[e.interface] = index;
        if (e.before.empty())
            findings.add(index, fmt::format("the configuration of {} was empty before, so that "
                                            "comparing it proves nothing",
                                            e.interface));
        else if (e.before != e.after)
            findings.add(index, fmt::format("the configuration of {} is not what it was: {}",
                                            e.interface, differences(e)));
    });
    std::set<std::string> complained;
    each_of<IfqRegistered>(events, [&](size_t index, const IfqRegistered& e) {
        if (e.interface.empty()) return;
        const auto last = compared.find(e.interface);
        if ((last == compared.end() || last->second < index) &&
            complained.insert(e.interface).second)
            findings.add(index, fmt::format("the configuration of {} was never compared with what "
                                            "it was before (no NicCompared)",
                                            e.interface));
    });
    return findings.take();
}

}  // namespace zcrxlab
