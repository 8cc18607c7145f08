// The findings are complete and name what there is, and no page shows one that is embargoed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"
#include "scenarios/known_issues/embargo.hpp"
#include "scenarios/known_issues/findings.hpp"
#include "scenarios/known_issues/findings_page.hpp"
#include "scenarios/known_issues/known_issues.hpp"

namespace zcrxlab {
namespace {

// By chapter, with what each claims.
nlohmann::json list_of_scenarios() {
    FILE* program = popen(ZCRX_SCENARIOS " --list --json", "r");
    if (program == nullptr) return {};
    std::string text;
    char part[4096];
    while (const size_t length = fread(part, 1, sizeof(part), program)) text.append(part, length);
    EXPECT_EQ(pclose(program), 0);
    return nlohmann::json::parse(text);
}

std::set<std::string> names_of_all_scenarios() {
    std::set<std::string> names;
    const nlohmann::json list = list_of_scenarios();
    for (const nlohmann::json& chapter : list["chapters"])
        for (const nlohmann::json& test : chapter["tests"]) names.insert(test["name"]);
    return names;
}

bool is_of_a_chapter(std::string_view test) {
    return test.ends_with(".*");
}

// Only one thing breaks so.
bool is_of_one_kind_only(ComplaintKind kind) {
    return kind == ComplaintKind::kProviderStays || kind == ComplaintKind::kOfAnotherStream;
}

bool says_nothing_more(const Symptom& symptom) {
    return symptom.subject.empty() && symptom.function.empty() && !symptom.seen &&
           !symptom.received && !symptom.posted_at_most && !symptom.posted_at_least &&
           !symptom.in_flight_at_least && !symptom.not_replaced_at_least &&
           !symptom.free_at_least && !symptom.length && symptom.socket.empty();
}

TEST(Findings, EachSaysWhatItHasTo) {
    std::set<std::string_view> ids;
    for (const Finding& finding : findings()) {
        EXPECT_TRUE(ids.insert(finding.id).second) << finding.id << " is there twice.";
        EXPECT_FALSE(finding.happens.empty() || finding.source.empty() || finding.seen_on.empty() ||
                     finding.shown_by.empty())
            << finding.id;
        EXPECT_NE(finding.breaks.empty(), finding.promised.empty())
            << finding.id << " needs rows of the contract or a promise of its own, and not both.";
        for (const std::string_view row : finding.breaks)
            EXPECT_NE(find_contract_row(row), nullptr) << finding.id << " breaks " << row;
        for (const std::string_view text : {finding.promised, finding.happens, finding.details})
            EXPECT_FALSE(text.ends_with('.') || text.find('`') != text.npos) << finding.id;
        for (const Rule& rule : finding.rules) {
            EXPECT_FALSE(rule.tests.empty() && rule.blocks.empty()) << finding.id;
            // A kind alone says too little, and what has no facts is no symptom.
            EXPECT_NE(rule.symptom.kind, ComplaintKind::kOther) << finding.id;
            EXPECT_TRUE(is_of_one_kind_only(rule.symptom.kind) || !says_nothing_more(rule.symptom))
                << finding.id;
            for (const std::string_view test : rule.tests)
                EXPECT_TRUE(!is_of_a_chapter(test) || !rule.by_chance.empty())
                    << finding.id << " has to show in all of " << test;
            EXPECT_TRUE(rule.id.empty() || ids.insert(rule.id).second)
                << rule.id << " is there twice.";
        }
    }
    EXPECT_FALSE(ids.empty());
}

TEST(Findings, NameScenariosThatThereAre) {
    const std::set<std::string> names = names_of_all_scenarios();
    const auto there = [&](std::string_view filter) {
        if (!filter.ends_with('*')) return names.contains(std::string(filter));
        const std::string start(filter.substr(0, filter.size() - 1));
        const auto at = names.lower_bound(start);
        return at != names.end() && at->starts_with(start);
    };
    for (const Finding& finding : findings()) {
        for (const Shown& shown : finding.shown_by)
            EXPECT_TRUE(there(shown.filter)) << finding.id << " is shown by " << shown.filter;
        for (const Rule& rule : finding.rules)
            for (const auto& tests : {rule.tests, rule.blocks})
                for (const std::string_view test : tests)
                    EXPECT_TRUE(test == kFeatureProbe || (test != "*" && there(test)))
                        << finding.id << " names " << test;
    }
}

// A chapter that its rules forget fails now and then, when a poll ends at the wrong moment.
TEST(Findings, ThatHappenWhereverAQueueStopsAreForEachChapterThatStopsOne) {
    std::set<std::string> chapters;
    const nlohmann::json list = list_of_scenarios();
    for (const auto& chapter : list["chapters"]) {
        const std::string name = chapter["name"];
        // Its scenarios fail on purpose.
        if (name == "control_invariants") continue;
        for (const auto& test : chapter["tests"])
            for (const auto& need : test["needs"])
                if (need == "device") chapters.insert(name + ".*");
    }
    ASSERT_FALSE(chapters.empty());
    const auto finding = std::ranges::find(findings(), "doorbell-of-freed-ring", &Finding::id);
    ASSERT_NE(finding, findings().end());
    for (const Rule& rule : finding->rules)
        for (const std::string& chapter : chapters)
            EXPECT_TRUE(std::ranges::find(rule.tests, chapter) != rule.tests.end())
                << chapter << " is none of those that stop a queue.";
}

// A claim that nobody has seen to fail may be one that cannot.
TEST(Findings, OrAMistakeHasReddenedEachRowOfTheContractUnlessItSaysWhyNot) {
    std::vector<Claim> claims;
    const nlohmann::json list = list_of_scenarios();
    for (const nlohmann::json& chapter : list["chapters"])
        for (const nlohmann::json& test : chapter["tests"])
            if (test.contains("claims"))
                for (const nlohmann::json& row : test["claims"])
                    claims.push_back({test["name"], row.get_ref<const std::string&>()});
    const SeenRed by_findings =
        rows_seen_red(findings(), coverage_of(contract_rows(), claims, not_yet_claimed()));
    for (const ContractRow& row : contract_rows())
        EXPECT_FALSE(row.seen_red_by.empty() && row.beyond_reach.empty() &&
                     !by_findings.contains(row.id))
            << row.id << ": find a mistake with which a scenario that claims it fails "
            << "(tests/kernel_probes is the cheapest place), or say in .beyond_reach why there is "
               "none";
}

TEST(Findings, AFixIsPartOfTheReference) {
    Finding finding{.id = "f", .happens = "h", .source = "a.c:f", .seen_on = "7.0", .shown_by = {}};
    EXPECT_EQ(reference_of(finding), "a.c:f, no fix known");
    finding.affected = "7.0 to 7.1";
    EXPECT_EQ(reference_of(finding), "a.c:f; 7.0 to 7.1, no fix known");
    finding.fixed_in = {"7.2.1"};
    EXPECT_EQ(reference_of(finding), "a.c:f; 7.0 to 7.1, fixed in 7.2.1");
    finding.fix = "by 123";
    EXPECT_EQ(reference_of(finding), "a.c:f; 7.0 to 7.1, fixed in 7.2.1 by 123");
    finding.fixed_in = {"6.18.20", "7.1.6", "7.2.1"};
    EXPECT_EQ(fixes_of(finding), "6.18.20, 7.1.6 and 7.2.1");
    finding.fixed_in = {};
    EXPECT_EQ(reference_of(finding), "a.c:f; 7.0 to 7.1; by 123");
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

// Both functions of "net/core/x.c:x_sum from x_receive", without the file.
std::vector<std::string> functions_in(std::string_view source) {
    const std::string text(source);
    const std::regex name(R"(\b[a-z0-9]+(_[a-z0-9]+)+\b(?!\.))");
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
        found.push_back(at->str());
    return found;
}

// What would show where an embargoed finding is. Names of scenarios are no harm in the contract,
// where rows may be called the same.
std::vector<std::string> words_about(const Finding& finding) {
    std::vector<std::string> words = functions_in(finding.source);
    words.emplace_back(finding.id);
    words.emplace_back(finding.happens);
    for (const Rule& rule : finding.rules) {
        for (const std::string_view word : {rule.symptom.subject, rule.symptom.function})
            // A word of the kernel's own for any of its warnings tells nothing.
            if (!word.empty() && word != "WARNING") words.emplace_back(word);
    }
    for (const Shown& shown : finding.shown_by) words.push_back("`" + std::string(shown.filter));
    return words;
}

TEST(Findings, NoPageShowsOneThatIsEmbargoed) {
    const std::filesystem::path tree = ZCRXLAB_TREE;
    std::vector<std::filesystem::path> pages = {tree / "README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(tree / "docs"))
        pages.push_back(entry.path());
    EXPECT_GT(pages.size(), 3U);
    size_t embargoed = 0;
    for (const Finding& finding : findings()) {
        if (!finding.embargoed) continue;
        ++embargoed;
        for (const std::filesystem::path& path : pages) {
            std::string text = content_of(path);
            // Identifiers of the contract stand at the beginning of a line.
            if (path.filename() == "contract.md")
                text = std::regex_replace(text, std::regex(R"((^|\n)\| `[^`]*`)"), "$1");
            for (const std::string& word : words_about(finding))
                EXPECT_EQ(text.find(word), text.npos) << path << " has " << word;
        }
    }
    EXPECT_GT(embargoed, 0U);
}

// Lists, manuals, comments: whatever is given out with the tree, but for the data itself and for
// scenarios, which have to do it.
TEST(Findings, NoFileBesideItsDataNamesOneThatIsEmbargoed) {
    const std::filesystem::path tree = ZCRXLAB_TREE;
    size_t files = 0;
    for (const char* room : {"ci", "cli", "docs", "examples", "harness", "kernel-config", "lists",
                             "results", "scenarios/contract", "scenarios/explain", "tests", "vm"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(tree / room)) {
            if (!entry.is_regular_file()) continue;
            ++files;
            const std::string text = content_of(entry.path());
            EXPECT_FALSE(tells_of_embargoed(findings(), text)) << entry.path();
            for (const Finding& finding : findings()) {
                if (!finding.embargoed) continue;
                EXPECT_EQ(text.find(finding.id), text.npos) << entry.path() << ": " << finding.id;
                EXPECT_EQ(text.find(finding.happens), text.npos) << entry.path();
            }
        }
    }
    EXPECT_GT(files, 500U);
}

}  // namespace
}  // namespace zcrxlab
