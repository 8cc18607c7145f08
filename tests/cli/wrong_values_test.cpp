// Wrong command lines: those of wrong_values.txt, and of each option of each command the values
// that are wrong whatever it takes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "vm/options.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

struct Ended {
    int code = -1;
    std::string errors;
};

// Runs the command line in a child, which may become another program.
Ended call(const fs::path& scratch, std::vector<std::string> words) {
    words.insert(words.begin(), "zcrxlab");
    const fs::path errors = scratch / "stderr";
    const pid_t child = ::fork();
    if (child == 0) {
        const int out = ::open("/dev/null", O_RDWR);
        ::dup2(out, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        // What is not refused comes no further than here.
        ::setenv("ZCRXLAB_CACHE", (scratch / "cache").c_str(), 1);
        ::setenv("ZCRXLAB_MIRROR", "http://127.0.0.1:9/", 1);
        ::setenv("ZCRXLAB_QEMU", "/nosuch/qemu", 1);
        ::alarm(60);
        std::vector<const char*> arguments;
        for (const std::string& word : words) arguments.push_back(word.c_str());
        const int code =
            run_command_line(commands(), static_cast<int>(arguments.size()), arguments.data());
        std::fflush(nullptr);
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    std::ifstream file(errors);
    std::stringstream text;
    text << file.rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// A * stands for any text.
bool fits(const std::string& line, const std::string& expected) {
    std::string pattern;
    for (const char c : expected)
        pattern += c == '*' ? std::string(".*") : "\\" + std::string(1, c);
    // Letters and digits mean something else behind a backslash.
    pattern = std::regex_replace(pattern, std::regex("\\\\([A-Za-z0-9_ ])"), "$1");
    return std::regex_match(line, std::regex(pattern));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

struct Case {
    std::string line;
    std::string expected;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    std::ifstream file(WRONG_VALUES);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("$ ")) {
            all.push_back({line.substr(2), ""});
        } else if (!line.empty() && line[0] != '#') {
            all.back().expected = line;
        }
    }
    return all;
}

TEST(WrongValues, EndAtOnceWithASentenceThatNamesThem) {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / "scratch");
    // Root can write anywhere but here.
    const std::string readonly = ::geteuid() == 0 ? "/proc" : "/";
    const std::vector<Case> all = cases();
    ASSERT_GT(all.size(), 60U);
    for (const Case& one : all) {
        const std::string line =
            replaced(replaced(one.line, "$scratch", (folder.path() / "scratch").string()),
                     "$readonly", readonly);
        const Ended ended = call(folder.path(), split_words(line));
        EXPECT_EQ(ended.code, 64) << one.line;
        EXPECT_TRUE(fits(first_line(ended.errors), one.expected))
            << "zcrxlab " << one.line << "\nsays     " << first_line(ended.errors) << "\nnot      "
            << one.expected;
        EXPECT_EQ(ended.errors.find("zcrx-"), std::string::npos) << ended.errors;
    }
    EXPECT_FALSE(fs::exists(folder.path() / "cache")) << "something was fetched";
    EXPECT_TRUE(fs::is_empty(folder.path() / "scratch")) << "something was left behind";
}

// ---- whatever an option is for

// An option that takes a value, and the words that lead to it.
struct Option {
    std::vector<std::string> words;
    std::string name;  // "--seed"
    std::string type;  // "N"
};

void take_options(const CLI::App& app, std::vector<std::string> words, std::vector<Option>& all) {
    for (const CLI::Option* option : app.get_options())
        if (option->nonpositional() && option->get_items_expected_max() > 0)
            all.push_back({words, option->get_name(), option->get_type_name()});
    for (const CLI::App* own : app.get_subcommands([](const CLI::App*) { return true; })) {
        std::vector<std::string> longer = words;
        longer.push_back(own->get_name());
        take_options(*own, longer, all);
    }
}

std::vector<Option> all_options() {
    std::vector<Option> all;
    for (const Command& command : commands()) {
        CLI::App app;
        command.declare(app);
        take_options(app, {std::string(command.name)}, all);
    }
    return all;
}

Ended call_with(const fs::path& scratch, const Option& option, const std::string& value) {
    std::vector<std::string> words = option.words;
    words.insert(words.end(), {option.name, value});
    return call(scratch, words);
}

TEST(EveryOption, RefusesAnEmptyValue) {
    const TemporaryFolder folder;
    const std::vector<Option> all = all_options();
    ASSERT_GT(all.size(), 100U);
    for (const Option& option : all) {
        if (option.type == "'ARG...'") continue;  // there may be none
        const Ended ended = call_with(folder.path(), option, "");
        EXPECT_EQ(ended.code, 64) << option.words.front() << option.name;
        EXPECT_TRUE(first_line(ended.errors).starts_with("zcrxlab: " + option.name + ": "))
            << option.words.front() << " " << option.name << " \"\" says " << ended.errors;
    }
}

TEST(EveryOption, OfANumberRefusesWhatIsNone) {
    const TemporaryFolder folder;
    size_t numbers = 0;
    for (const Option& option : all_options()) {
        if (option.type != "N" && option.type != "S" && option.type != "X" && option.type != "P")
            continue;
        ++numbers;
        for (const char* value :
             {"nan", "-1", "1e", "+1", " 1", "1 ", "many", "184467440737095516160"}) {
            const Ended ended = call_with(folder.path(), option, value);
            EXPECT_EQ(ended.code, 64);
            const std::string begin = "zcrxlab: " + option.name + ": \"" + value + "\" is no ";
            EXPECT_TRUE(first_line(ended.errors).starts_with(begin))
                << option.words.front() << " " << option.name << " " << value << " says "
                << ended.errors;
            // Of 309 digits nobody learns what is possible.
            EXPECT_LT(first_line(ended.errors).size(), 120U) << ended.errors;
        }
    }
    EXPECT_GT(numbers, 40U);
}

}  // namespace
}  // namespace zcrxlab
