// FakeLaboratory: a compiler and runs of which a test says what they do, and that are noted.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/coverage/laboratory.hpp"

namespace zcrxlab {

class FakeLaboratory : public Laboratory {
  public:
    std::map<std::string, std::string> tree;
    // Its object, or EIO with what the compiler says. Each text is code of its own.
    std::function<Result<std::string>(const std::string& text)> compiler =
        [](const std::string& text) { return text; };
    std::function<Result<RunSummary>(const ScenarioRun& order)> runner = [](const ScenarioRun&) {
        return RunSummary();
    };

    std::map<std::string, std::string> written;  // as they are now
    std::vector<std::string> compiled;           // the texts
    std::vector<std::string> built;
    std::vector<ScenarioRun> runs;
    ReachedMistakes reached;  // of each run

    Result<std::string> read(const std::string& source) override {
        const auto found = tree.find(source);
        if (found == tree.end()) return Error{EINVAL, "There is no " + source + "."};
        return found->second;
    }
    Result<void> write(const std::string& source, const std::string& text) override {
        written[source] = text;
        return {};
    }
    Result<std::string> compile(const std::string& source) override {
        const auto now = written.find(source);
        compiled.push_back(now == written.end() ? tree[source] : now->second);
        return compiler(compiled.back());
    }
    Result<std::filesystem::path> build(const std::string& what) override {
        built.push_back(what);
        return std::filesystem::path("/built/bzImage");
    }
    Result<std::filesystem::path> keep_kernel(const std::string& name) override {
        return std::filesystem::path("/kept/" + name);
    }
    Result<RunSummary> run(const ScenarioRun& order) override {
        {
            const std::lock_guard one(mutex_);
            runs.push_back(order);
        }
        return runner(order);
    }
    Result<ReachedMistakes> reach_of(const std::string&) override { return reached; }

  private:
    std::mutex mutex_;  // of `runs`
};

// A run that ended well, with these tests.
inline RunSummary run_of(const std::vector<std::pair<std::string, TestStatus>>& tests) {
    RunSummary run;
    for (const auto& [name, status] : tests)
        run.tests.push_back({.name = name, .status = status, .message = name + " ended so."});
    return run;
}

}  // namespace zcrxlab
