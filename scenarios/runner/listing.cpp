// Listing: the list of scenarios as text and as JSON.
#include "scenarios/runner/listing.hpp"

#include <nlohmann/json.hpp>

#include "harness/oracle/oracle.hpp"
#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {

namespace {

// With no filter everything is listed, also what runs on request only.
bool listed(std::string_view filter, const Scenario& scenario) {
    return filter.empty() || selects(filter, scenario);
}

}  // namespace

std::string listing_for_people(std::string_view filter) {
    std::string text, chapter;
    for (const Scenario& scenario : scenarios()) {
        if (!listed(filter, scenario)) continue;
        if (scenario.chapter != chapter) {
            chapter = scenario.chapter;
            const Chapter* found = find_chapter(chapter);
            text += (text.empty() ? "" : "\n") + chapter;
            if (found != nullptr) text += ": " + std::string(found->sentence);
            if (found != nullptr && found->on_request) text += " (only if a filter names it)";
            text += '\n';
        }
        text += "  " + scenario.name() + "\n      " + scenario.sentence;
        std::string needs;
        for (const std::string& word : words_for(scenario.terms.needs))
            needs += (needs.empty() ? "" : ", ") + word;
        if (!needs.empty()) text += " [" + needs + "]";
        text += '\n';
    }
    return text;
}

std::string listing_as_json(std::string_view filter) {
    nlohmann::json list = nlohmann::json::array();
    std::string chapter;
    for (const Scenario& scenario : scenarios()) {
        if (!listed(filter, scenario)) continue;
        if (list.empty() || scenario.chapter != chapter) {
            chapter = scenario.chapter;
            const Chapter* found = find_chapter(chapter);
            list.push_back({{"name", chapter},
                            {"sentence", found != nullptr ? found->sentence : ""},
                            {"on_request", found != nullptr && found->on_request},
                            {"tests", nlohmann::json::array()}});
        }
        nlohmann::json test = {{"name", scenario.name()},
                               {"sentence", scenario.sentence},
                               {"needs", words_for(scenario.terms.needs)},
                               {"seconds", scenario.terms.time.count()}};
        if (!scenario.terms.claimed.empty()) test["claims"] = scenario.terms.claimed;
        if (scenario.terms.violates) test["violates"] = name_of(*scenario.terms.violates);
        list.back()["tests"].push_back(std::move(test));
    }
    nlohmann::json features = nlohmann::json::array();
    for (const FeatureText& text : feature_texts())
        features.push_back({{"name", text.name},
                            {"sentence", text.sentence},
                            {"since", text.since ? to_text(*text.since) : ""}});
    return nlohmann::json{{"chapters", std::move(list)}, {"features", std::move(features)}}.dump();
}

}  // namespace zcrxlab
