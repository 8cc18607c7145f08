// acceptance-table: holds what ci/acceptance has run against the list of what is expected.
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/base/result.hpp"
#include "results/acceptance/expected.hpp"
#include "results/acceptance/expected_page.hpp"
#include "results/acceptance/tap.hpp"

namespace zcrxlab {
namespace {

// FOLDER/SCRIPT.tap has the output, FOLDER/SCRIPT.exit the exit code.
ScriptResults results_of(const std::filesystem::path& folder, const std::string& script) {
    const auto output = read_file(folder / (script + ".tap"));
    const std::string exit = text_of_file(folder / (script + ".exit"));
    const auto code = number_from<int>(exit.substr(0, exit.find('\n')));
    if (!output || !code) return {script, {}};
    return {script, read_tap(*output, *code)};
}

Result<ExpectedList> read_list(const std::filesystem::path& file) {
    const auto text = read_file(file);
    if (!text) return text.error();
    auto tests = read_expected(*text);
    if (!tests) return Error{EINVAL, file.string() + ": " + tests.error().sentence};
    return ExpectedList{file.stem().string(), about_list(*text), std::move(*tests)};
}

int complain(const Error& error) {
    std::cerr << error.sentence << "\n";
    return kExitUsage;
}

int compare(const std::filesystem::path& file, const std::filesystem::path& folder,
            const std::vector<std::string>& scripts) {
    const auto list = read_list(file);
    if (!list) return complain(list.error());
    std::vector<ScriptResults> found;
    for (const std::string& script : scripts) found.push_back(results_of(folder, script));
    // In the form of the list, so that what is right can be copied.
    size_t count = 0;
    for (const ScriptResults& script : found) {
        for (const TapResult& result : script.results) {
            std::cout << script.script << " " << result.test << " " << name_of(result.outcome)
                      << "\n";
            ++count;
        }
    }
    const auto unlike = differences(of_scripts(list->tests, scripts), found);
    for (const std::string& sentence : unlike) std::cout << "! " << sentence << "\n";
    std::cout << count << " tests of " << scripts.size() << " scripts, " << unlike.size()
              << " not as expected\n";
    return unlike.empty() ? 0 : kExitFailed;
}

int print_lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::cout << line << "\n";
    return 0;
}

int print_options(const std::filesystem::path& file, const std::string& script) {
    const auto list = read_list(file);
    return list ? print_lines(options_to_choose(list->tests, script)) : complain(list.error());
}

int print_runs(const std::filesystem::path& file, const std::vector<std::string>& scripts) {
    const auto list = read_list(file);
    return list ? print_lines(runs_of(list->tests, scripts)) : complain(list.error());
}

int print_page(const std::vector<std::string>& files) {
    std::vector<ExpectedList> lists;
    for (const std::string& file : files) {
        auto list = read_list(file);
        if (!list) return complain(list.error());
        lists.push_back(std::move(*list));
    }
    std::cout << expected_page(lists);
    return 0;
}

int usage() {
    std::cerr << "usage: acceptance-table LIST FOLDER SCRIPT...      holds results against a list\n"
                 "       acceptance-table --options LIST SCRIPT      prints the script's options\n"
                 "       acceptance-table --runs LIST SCRIPT...      adds VMs: SCRIPT@VM\n"
                 "       acceptance-table --page LIST...             prints docs/acceptance.md\n"
                 "   It is for ci/acceptance; see its --help.\n";
    return kExitUsage;
}

int run(const std::vector<std::string>& words) {
    if (words.size() >= 2 && words[0] == "--page")
        return print_page({words.begin() + 1, words.end()});
    if (words.size() == 3 && words[0] == "--options") return print_options(words[1], words[2]);
    if (words.size() >= 2 && words[0] == "--runs")
        return print_runs(words[1], {words.begin() + 2, words.end()});
    if (words.size() < 3 || words[0].starts_with("-")) return usage();
    return compare(words[0], words[1], {words.begin() + 2, words.end()});
}

}  // namespace
}  // namespace zcrxlab

int main(int count, char** words) {
    return zcrxlab::run({words + 1, words + count});
}
