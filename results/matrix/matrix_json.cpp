// Writes a matrix as JSON and reads it back; input may come from other machines and is not
// trusted.
#include <array>
#include <cmath>

#include "harness/base/json.hpp"
#include "results/matrix/matrix.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

constexpr std::array<std::pair<RunState, std::string_view>, 4> kStates{
    {{RunState::kPlanned, "planned"},
     {RunState::kRan, "ran"},
     {RunState::kNotSupported, "not supported"},
     {RunState::kNotStarted, "not started"}}};

std::string_view name_of(RunState state) {
    for (const auto& [value, name] : kStates)
        if (value == state) return name;
    return "planned";
}

double number_of(const Json& json, const char* name) {
    const double number = get_or(json, name, 0.0);
    return std::isfinite(number) ? number : 0;
}

Json json_of(const MatrixTerms& terms) {
    return {{"zcrxlab", terms.zcrxlab},
            {"filter", cleaned(terms.filter)},
            {"options", cleaned(terms.options)},
            {"seed", terms.seed}};
}

MatrixTerms terms_of(const Json& json) {
    return {get_text(json, "zcrxlab"), get_text(json, "filter"), get_text(json, "options"),
            get_or<uint64_t>(json, "seed", 0)};
}

Json json_of(const MatrixRun& run) {
    Json json = {{"kernel", cleaned(run.kernel)},
                 {"nic", cleaned(run.nic)},
                 {"state", name_of(run.state)},
                 {"message", cleaned(run.message)},
                 {"command", cleaned(run.command)},
                 {"folder", cleaned(run.folder)},
                 {"cost",
                  {{"fetch_seconds", run.cost.fetch_seconds},
                   {"seconds", run.cost.seconds},
                   {"cpu_seconds", run.cost.cpu_seconds}}}};
    if (run.state == RunState::kRan)
        json["results"] = Json::parse(to_json(run.results), nullptr, false);
    return json;
}

Result<MatrixRun> run_of(const Json& json) {
    const Error wrong{EINVAL, "This is no run of a matrix."};
    if (!json.is_object()) return wrong;
    MatrixRun run;
    run.kernel = get_text(json, "kernel");
    run.nic = get_text(json, "nic");
    const std::string state = get_text(json, "state");
    bool known = false;
    for (const auto& [value, name] : kStates) {
        if (name != state) continue;
        run.state = value;
        known = true;
    }
    if (!known || run.kernel.empty() || run.nic.empty()) return wrong;
    run.message = get_text(json, "message");
    run.command = get_text(json, "command");
    run.folder = get_text(json, "folder");
    const Json& cost = get_object(json, "cost");
    run.cost = {number_of(cost, "fetch_seconds"), number_of(cost, "seconds"),
                number_of(cost, "cpu_seconds")};
    if (run.state != RunState::kRan) return run;
    const Json* results = member(json, "results");
    if (results == nullptr) return wrong;
    Result<RunSummary> summary = summary_from_json(json_text(*results));
    if (!summary) return summary.error();
    run.results = std::move(*summary);
    return run;
}

Json json_of(const Catalogue& catalogue) {
    Json chapters = Json::array();
    for (const CatalogueChapter& chapter : catalogue.chapters) {
        Json tests = Json::array();
        for (const CatalogueTest& test : chapter.tests)
            tests.push_back(
                {{"name", test.name}, {"sentence", test.sentence}, {"needs", test.needs}});
        chapters.push_back(
            {{"name", chapter.name}, {"sentence", chapter.sentence}, {"tests", std::move(tests)}});
    }
    Json features = Json::array();
    for (const CatalogueFeature& feature : catalogue.features)
        features.push_back({{"name", feature.name}, {"sentence", feature.sentence}});
    return {{"chapters", std::move(chapters)}, {"features", std::move(features)}};
}

Catalogue catalogue_of(const Json& json) {
    Catalogue catalogue;
    for (const Json& entry : get_array(json, "chapters")) {
        if (!entry.is_object()) continue;
        CatalogueChapter chapter{get_text(entry, "name"), get_text(entry, "sentence"), {}};
        for (const Json& one : get_array(entry, "tests")) {
            if (!one.is_object()) continue;
            CatalogueTest test{get_text(one, "name"), get_text(one, "sentence"), {}};
            test.needs = get_all<std::string>(one, "needs");
            chapter.tests.push_back(std::move(test));
        }
        catalogue.chapters.push_back(std::move(chapter));
    }
    for (const Json& entry : get_array(json, "features"))
        if (entry.is_object())
            catalogue.features.push_back({get_text(entry, "name"), get_text(entry, "sentence")});
    return catalogue;
}

std::string dumped(const Json& json) {
    return json_text(json, 1) + "\n";
}

// The object in `text`, if it says that it is of our format.
Result<Json> parsed(std::string_view text) {
    Result<Json> json = parse_ordered_json_object(text);
    if (!json) return Error{EINVAL, "This is no JSON of a matrix."};
    if (number_of(*json, "format") != kFormat)
        return Error{EINVAL, "This was written by another version of zcrxlab (format " +
                                 std::to_string(kFormat) + " is expected)."};
    return json;
}

}  // namespace

Result<Catalogue> catalogue_from_json(std::string_view text) {
    const Result<Json> json = parse_ordered_json_object(text);
    if (!json) return Error{EINVAL, "This is no list of scenarios."};
    Catalogue catalogue = catalogue_of(*json);
    if (catalogue.chapters.empty()) return Error{EINVAL, "This list of scenarios is empty."};
    return catalogue;
}

std::string to_json(const MatrixTerms& terms, const MatrixRun& run) {
    return dumped({{"format", kFormat}, {"terms", json_of(terms)}, {"run", json_of(run)}});
}

Result<std::pair<MatrixTerms, MatrixRun>> run_from_json(std::string_view text) {
    const Result<Json> json = parsed(text);
    if (!json) return json.error();
    const auto terms = json->find("terms");
    const auto entry = json->find("run");
    if (terms == json->end() || !terms->is_object() || entry == json->end())
        return Error{EINVAL, "This is no run of a matrix."};
    Result<MatrixRun> run = run_of(*entry);
    if (!run) return run.error();
    return std::make_pair(terms_of(*terms), std::move(*run));
}

std::string to_json(const Matrix& matrix) {
    Json runs = Json::array();
    for (const MatrixRun& run : matrix.runs) runs.push_back(json_of(run));
    return dumped({{"format", kFormat},
                   {"terms", json_of(matrix.terms)},
                   {"catalogue", json_of(matrix.catalogue)},
                   {"runs", std::move(runs)}});
}

Result<Matrix> matrix_from_json(std::string_view text) {
    const Result<Json> json = parsed(text);
    if (!json) return json.error();
    const auto terms = json->find("terms");
    const auto catalogue = json->find("catalogue");
    if (terms == json->end() || !terms->is_object() || catalogue == json->end() ||
        !catalogue->is_object())
        return Error{EINVAL, "This is no JSON of a matrix."};
    Matrix matrix{terms_of(*terms), catalogue_of(*catalogue), {}};
    for (const Json& entry : get_array(*json, "runs")) {
        Result<MatrixRun> run = run_of(entry);
        if (!run) return run.error();
        matrix.runs.push_back(std::move(*run));
    }
    return matrix;
}

}  // namespace zcrxlab
