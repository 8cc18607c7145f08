// acceptance-table: holds what ci/acceptance has run against the list of what is expected.
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "results/acceptance/expected.hpp"

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

int compare(const std::filesystem::path& list, const std::filesystem::path& folder) {
    const auto text = read_file(list);
    const auto expected = text ? read_expected(*text) : text.error();
    if (!expected) {
        std::cerr << list.string() << ": " << expected.error().sentence << "\n";
        return kExitUsage;
    }
    std::set<std::string> scripts;
    for (const ExpectedTest& test : *expected) scripts.insert(test.script);
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
    const std::vector<std::string> unlike = differences(*expected, found);
    for (const std::string& sentence : unlike) std::cout << "! " << sentence << "\n";
    std::cout << count << " tests of " << scripts.size() << " scripts, " << unlike.size()
              << " not as expected\n";
    return unlike.empty() ? 0 : kExitFailed;
}

}  // namespace
}  // namespace zcrxlab

int main(int count, char** words) {
    if (count != 3 || std::string_view(words[1]).starts_with("-")) {
        std::cerr << "usage: acceptance-table LIST FOLDER   (of ci/acceptance; see its --help)\n";
        return zcrxlab::kExitUsage;
    }
    return zcrxlab::compare(words[1], words[2]);
}
