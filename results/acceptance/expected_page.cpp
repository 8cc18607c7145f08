// Counts the tests of each script, and joins those that have the same reason.
#include "results/acceptance/expected_page.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace zcrxlab {

namespace {

// Plain text in a cell. Reasons are ours, and have no other characters that mean anything.
std::string as_cell(std::string_view text) {
    std::string cell;
    for (const char c : text) {
        if (std::string_view("|<*_`[").find(c) != std::string_view::npos) cell += '\\';
        cell += c;
    }
    return cell;
}

struct Counts {
    size_t ok = 0, not_ok = 0, skip = 0, left_out = 0;

    void add(const ExpectedTest& test) {
        if (test.left_out) {
            ++left_out;
        } else if (test.outcome == TapOutcome::kOk) {
            ++ok;
        } else if (test.outcome == TapOutcome::kNotOk) {
            ++not_ok;
        } else {
            ++skip;
        }
    }
    [[nodiscard]] std::string cells() const {
        std::string text;
        for (const size_t number : {ok, not_ok, skip, left_out})
            text += " | " + (number == 0 ? std::string() : std::to_string(number));
        return text;
    }
};

struct Script {
    std::string name;
    Counts counts;
    // In the order of the list: whose, why, and of how many tests.
    std::vector<std::pair<std::pair<std::string, std::string>, size_t>> reasons;

    void add(const ExpectedTest& test) {
        counts.add(test);
        if (test.whose.empty()) return;
        const bool group = test.test.ends_with('*');
        const std::pair reason{test.whose, (group ? test.test + ": " : "") + test.why};
        const auto at = std::ranges::find(reasons, reason, [](const auto& r) { return r.first; });
        if (at == reasons.end()) {
            reasons.emplace_back(reason, 1);
        } else {
            ++at->second;
        }
    }
};

std::string table_of(const std::vector<ExpectedTest>& tests) {
    std::vector<Script> scripts;
    Counts all;
    std::map<std::string, size_t> by_owner;
    for (const ExpectedTest& test : tests) {
        if (scripts.empty() || scripts.back().name != test.script)
            scripts.push_back({test.script, {}, {}});
        scripts.back().add(test);
        all.add(test);
        if (!test.whose.empty()) ++by_owner[test.whose];
    }
    std::string page =
        "| script | ok | not ok | skipped | left out | whose, of how many tests, and why |\n"
        "|---|---|---|---|---|---|\n";
    for (const Script& script : scripts) {
        page += "| `" + script.name + "`" + script.counts.cells() + " | ";
        std::string between;
        for (const auto& [reason, count] : script.reasons) {
            page += between + reason.first + " " + std::to_string(count) + ": " +
                    as_cell(reason.second);
            between = "<br>";
        }
        page += " |\n";
    }
    page += "| all: " + std::to_string(tests.size()) + " tests" + all.cells() + " | ";
    std::string between;
    for (const auto& [owner, count] : by_owner) {
        page += between + owner + " " + std::to_string(count);
        between = ", ";
    }
    return page + " |\n";
}

}  // namespace

std::string about_list(std::string_view text) {
    std::string about;
    while (text.starts_with("# ")) {
        const size_t end = std::min(text.find('\n'), text.size());
        about += std::string(text.substr(2, end - 2)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return about;
}

std::string expected_page(const std::vector<ExpectedList>& lists) {
    std::string page =
        "# What the tests of others say of the emulated NIC\n\n"
        "`ci/acceptance` runs tests that are not ours, unmodified, in the VM, and holds each "
        "result "
        "against a list\nin `tests/acceptance`, `STEP.NIC.expected` where each NIC has its own. "
        "Another outcome, another symptom, a test\ntoo few and one too many are failures. What is "
        "not ok has an owner: `driver` is that of the NIC, `kernel` the\nscript or the rest of the "
        "kernel, `emulation` the speed of an emulated CPU, `device` our NIC, `tools` what the\n"
        "machine of the test lacks. This page is made of those lists ([how](README.md)); DPDK is "
        "in\n[device.md](device.md#another-driver).\n";
    for (const ExpectedList& list : lists)
        page += "\n## " + list.name + "\n" + list.about + "\n" + table_of(list.tests);
    return page;
}

}  // namespace zcrxlab
