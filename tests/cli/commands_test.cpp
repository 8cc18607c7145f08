// The table of commands: every row is whole, every folder of cli/ is a row, and each row works as a
// command line.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/pages.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ZCRXLAB_SOURCE_DIR) / "cli";

// Whether a line below the heading EXAMPLES begins with "zcrxlab NAME", by root or not.
bool has_example(const std::string& manual, const std::string& name) {
    const size_t examples = manual.find("\nEXAMPLES\n");
    if (examples == std::string::npos) return false;
    const std::string call = "zcrxlab " + name;
    for (const std::string& line : {"\n    " + call, "\n    sudo " + call})
        for (const char* behind : {" ", "\n"})
            if (manual.find(line + behind, examples) != std::string::npos) return true;
    return false;
}

// Whether a value is looked at before the command starts.
bool is_checked(const CLI::Option& option) {
    try {
        // Asking changes nothing, which its declaration does not say.
        return const_cast<CLI::Option&>(option).get_validator() != nullptr;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

// What `command` lacks, of what the compiler does not ask for: a sentence each.
std::vector<std::string> gaps_of(const Command& command) {
    std::vector<std::string> gaps;
    const std::string name(command.name);
    if (name.empty()) gaps.emplace_back("a command has no name");
    // As in "zcrxlab run - boots a VM, ...".
    if (command.sentence.empty() || command.sentence.ends_with('.') ||
        std::isupper(static_cast<unsigned char>(command.sentence.front())) != 0)
        gaps.push_back(name + " has no sentence that can stand behind its name");
    if (!has_example(command.manual(), name))
        gaps.push_back(name + " has no EXAMPLES with \"zcrxlab " + name + "\" in its manual");
    CLI::App app;
    command.declare(app);
    auto apps = app.get_subcommands([](const CLI::App*) { return true; });
    apps.push_back(&app);
    for (const CLI::App* each : apps)
        for (const CLI::Option* option : each->get_options()) {
            if (option->get_description().empty())
                gaps.push_back(name + " does not say what " + option->get_name() + " is");
            if (option->get_items_expected_max() > 0 && !is_checked(*option))
                gaps.push_back(name + " takes any value for " + option->get_single_name());
        }
    return gaps;
}

// What the folder of a command lacks.
std::vector<std::string> files_missing(const fs::path& folder, const std::string& name) {
    std::vector<std::string> missing;
    for (const std::string& file :
         {name + ".hpp", name + ".cpp", std::string("options.cpp"), std::string("manual.cpp")})
        if (!fs::exists(folder / name / file)) missing.push_back("cli/" + name + "/" + file);
    return missing;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

TEST(Commands, EveryRowIsWhole) {
    ASSERT_FALSE(commands().empty());
    for (const Command& command : commands()) EXPECT_EQ(joined(gaps_of(command)), "");
}

TEST(Commands, EveryFolderIsARowAndEveryRowAFolder) {
    std::set<std::string> folders, names;
    for (const auto& entry : fs::directory_iterator(kFolder))
        if (entry.is_directory()) folders.insert(entry.path().filename());
    for (const Command& command : commands())
        EXPECT_TRUE(names.emplace(command.name).second) << command.name << " is there twice";
    EXPECT_EQ(folders, names);
    for (const std::string& name : names) EXPECT_EQ(joined(files_missing(kFolder, name)), "");
}

// ---- rows that are made up

struct NoOptions {};
void add_nothing(CLI::App& /*app*/, NoOptions& /*options*/) {}
void add_unchecked(CLI::App& app, NoOptions& /*options*/) {
    app.add_option("--colour", "Of the output");
}
void add_undescribed(CLI::App& app, NoOptions& /*options*/) {
    app.add_flag("--quiet");
}
std::string no_manual() {
    return "";
}
std::string manual_of_another() {
    return "\nEXAMPLES\n    zcrxlab other\n";
}
std::string manual_of_made() {
    return "\nEXAMPLES\n    sudo zcrxlab made --up\n";
}
int succeed(const NoOptions& /*options*/) {
    return 0;
}

using Add = void (&)(CLI::App&, NoOptions&);
using Manual = std::string (&)();
using RunIt = int (&)(const NoOptions&);
template <typename... Parts>
constexpr bool kIsARow = std::is_constructible_v<Command, Parts...>;
static_assert(kIsARow<const char*, const char*, Add, Manual, RunIt>);
static_assert(!kIsARow<const char*, const char*, Add, Manual>, "without a run it must not compile");
static_assert(!kIsARow<const char*, const char*, Manual, RunIt>, "nor without options");
static_assert(!kIsARow<const char*, const char*, Add, RunIt>, "nor without a manual");
static_assert(!kIsARow<const char*, Add, Manual, RunIt>, "nor without a sentence");
static_assert(!kIsARow<const char*, const char*, std::nullptr_t, Manual, RunIt>);
static_assert(!kIsARow<const char*, const char*, Add, Manual, int (&)(const std::string&)>,
              "options that are declared are those that run gets");

TEST(Gaps, AreSeen) {
    const char* sentence = "does something";
    EXPECT_EQ(joined(gaps_of({"made", sentence, add_nothing, manual_of_made, succeed})), "");
    EXPECT_EQ(gaps_of({"", sentence, add_nothing, manual_of_made, succeed}).front(),
              "a command has no name");
    for (const char* wrong : {"", "Does something", "does something."})
        EXPECT_EQ(joined(gaps_of({"made", wrong, add_nothing, manual_of_made, succeed})),
                  "made has no sentence that can stand behind its name\n");
    for (std::string (*wrong)() : {no_manual, manual_of_another})
        EXPECT_EQ(joined(gaps_of({"made", sentence, add_nothing, *wrong, succeed})),
                  "made has no EXAMPLES with \"zcrxlab made\" in its manual\n");
    EXPECT_EQ(joined(gaps_of({"made", sentence, add_undescribed, manual_of_made, succeed})),
              "made does not say what --quiet is\n");
    EXPECT_EQ(joined(gaps_of({"made", sentence, add_unchecked, manual_of_made, succeed})),
              "made takes any value for colour\n");
    EXPECT_EQ(files_missing(kFolder, "made").size(), 4U);
}

// ---- command lines

struct Ended {
    int code;
    std::string output, errors;
};

Ended call(std::span<const Command> table, std::vector<const char*> words) {
    words.insert(words.begin(), "zcrxlab");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_command_line(table, static_cast<int>(words.size()), words.data());
    std::string output = testing::internal::GetCapturedStdout();
    return {code, std::move(output), testing::internal::GetCapturedStderr()};
}

TEST(CommandLine, HelpIsMadeOfTheRow) {
    for (const Command& command : commands()) {
        const std::string name(command.name);
        const Ended ended = call(commands(), {name.c_str(), "--help"});
        EXPECT_EQ(ended.code, 0) << name;
        const std::string begin =
            "NAME\n    zcrxlab " + name + " - " + std::string(command.sentence) + "\n";
        EXPECT_EQ(ended.output.substr(0, begin.size()), begin);
        EXPECT_TRUE(ended.output.ends_with(command.manual())) << name;
        EXPECT_NE(ended.output.find("\nSYNOPSIS\n    zcrxlab " + name + " "), std::string::npos);
    }
    const Ended ended = call(commands(), {"--help"});
    EXPECT_EQ(ended.code, 0);
    EXPECT_NE(ended.output.find(list_of_commands(commands())), std::string::npos);
}

TEST(CommandLine, WrongUsageIs64) {
    for (const Command& command : commands()) {
        const std::string name(command.name);
        EXPECT_EQ(call(commands(), {name.c_str(), "--no-such-option"}).code, 64) << name;
    }
    EXPECT_EQ(call(commands(), {}).code, 64);
    EXPECT_EQ(call(commands(), {"no-such-command"}).code, 64);
    EXPECT_EQ(call(commands(), {"--page", "no-such-page"}).code, 64);
}

TEST(CommandLine, PagesAreMadeOfTheTable) {
    const std::array table{Command("made", "does \"this\"", add_nothing, manual_of_made, succeed)};
    EXPECT_EQ(call(table, {"--page", "commands"}).output, "    made     does \"this\"\n");
    EXPECT_EQ(call(table, {"--page", "readme"}).output,
              "| command | what it does |\n|---|---|\n| `made` | does `this` |\n");
    EXPECT_EQ(call(table, {"--page", "readme"}).code, 0);
}

bool put_back = false;

struct Taken {
    ~Taken() { put_back = true; }
};

int throw_something(const NoOptions& /*options*/) {
    const Taken taken;
    throw std::runtime_error("a made-up error");
}

TEST(CommandLine, AnExceptionReleasesWhatWasTakenAndIs1) {
    const std::array table{Command("made", "throws", add_nothing, manual_of_made, throw_something)};
    const Ended ended = call(table, {"made"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_TRUE(put_back);
    EXPECT_EQ(ended.errors.substr(0, ended.errors.find('\n')), "zcrxlab made: a made-up error");
}

}  // namespace
}  // namespace zcrxlab
