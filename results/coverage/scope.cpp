// Reads the scope, and cuts coverage down to it.
#include "results/coverage/scope.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "kernels/c_source/functions.hpp"

namespace zcrxlab {
namespace {

// Lines belong to the function that they stand in; calls are those that gcov counted, or those of
// the first line with code where it was inlined.
void give_lines_to_functions(FileCoverage& file, const std::vector<SourceFunction>& functions) {
    std::map<std::string, FunctionCoverage> named;
    named.swap(file.functions);
    for (const SourceFunction& function : functions) {
        FunctionCoverage entry{function.name, function.first_line, function.last_line, 0};
        auto line = file.lines.lower_bound(function.first_line);
        if (line == file.lines.end() || line->first > function.last_line) continue;
        const auto gcov = named.find(function.name);
        entry.calls = gcov != named.end() ? gcov->second.calls : line->second.count;
        for (; line != file.lines.end() && line->first <= function.last_line; ++line)
            line->second.function = function.name;
        file.functions[function.name] = std::move(entry);
    }
}

}  // namespace

Result<Scope> parse_scope(std::string_view text) {
    Scope scope;
    std::set<std::string>* functions = nullptr;
    std::istringstream stream{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        std::string word;
        if (!(words >> word)) continue;
        if (line[0] != ' ') {
            if (!word.ends_with(".c") || word[0] == '/')
                return Error{EINVAL, "Line " + std::to_string(number) +
                                         " of the scope starts with \"" + word +
                                         "\", which is no path of a source in a kernel tree."};
            functions = &scope[word];
        } else if (functions == nullptr) {
            return Error{EINVAL, "The scope starts with a function, of no source."};
        } else {
            functions->insert(word);
        }
        while (words >> word) functions->insert(word);
    }
    return scope;
}

std::vector<std::string> objects_of(const Scope& scope) {
    std::vector<std::string> objects;
    for (const auto& [path, functions] : scope)
        objects.push_back(std::filesystem::path(path).replace_extension(".o").string());
    return objects;
}

Result<Coverage> within(const Scope& scope, const Coverage& coverage, const Sources& sources) {
    Coverage result;
    for (const auto& [path, wanted] : scope) {
        const auto found = coverage.find(path);
        if (found == coverage.end()) continue;
        FileCoverage file = found->second;
        if (const auto source = sources.find(path); source != sources.end()) {
            const std::vector<SourceFunction> functions = functions_of(source->second);
            for (const std::string& name : wanted)
                if (std::ranges::find(functions, name, &SourceFunction::name) == functions.end())
                    return Error{ENOENT, "There is no function " + name + " in " + path +
                                             " of this kernel, but kernel-config/coverage.scope "
                                             "names it."};
            give_lines_to_functions(file, functions);
        }
        if (!wanted.empty()) {
            std::erase_if(file.functions, [&wanted = wanted](const auto& entry) {
                return !wanted.contains(entry.first);
            });
            std::erase_if(file.lines, [&wanted = wanted](const auto& line) {
                return !wanted.contains(line.second.function);
            });
        }
        result[path] = std::move(file);
    }
    return result;
}

}  // namespace zcrxlab
