// results.json: the run as data, with the keys that the README names and no others.
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

// JSON has no infinity and no NaN.
double finite(double seconds) {
    return std::isfinite(seconds) ? seconds : 0;
}

}  // namespace

std::string to_json(const RunSummary& run) {
    using Json = nlohmann::ordered_json;
    Json tests = Json::array();
    for (const TestResult& test : run.tests)
        tests.push_back({{"name", cleaned(test.name)},
                         {"status", name_of(test.status)},
                         {"seconds", finite(test.seconds)},
                         {"message", cleaned(test.message)}});
    const Json all = {{"kernel", cleaned(run.kernel)},
                      {"nic", cleaned(run.nic)},
                      {"seed", run.seed},
                      {"seconds", finite(run.seconds)},
                      {"tests", tests}};
    return all.dump(2) + "\n";
}

}  // namespace zcrxlab
