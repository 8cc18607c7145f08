// Lists: reads files of lists, and says what a target must have for their actions.
#include "lists/player/lists.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "lists/player/list_player.hpp"
#include "lists/verbs/row/row.hpp"
#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".actions";
constexpr std::chrono::seconds kTime{90};

Result<void> add_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ENOENT, "Cannot read the actions in " + path.string() + "."};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Result<ActionList> list = actions_from_text(text);
    if (!list) return Error{EINVAL, path.string() + ": " + list.error().sentence};
    Scenario scenario;
    scenario.chapter = "actions";
    scenario.test = path.stem().string();
    scenario.sentence = title_of(*list);
    if (scenario.sentence.empty()) scenario.sentence = "a list of actions keeps all invariants";
    scenario.terms = Terms(needs_of(*list)).within(kTime);
    scenario.body = [list = *std::move(list)](Scene& scene) { ListPlayer(scene).perform(list); };
    scenario.file = "actions";
    add_scenario(std::move(scenario));
    return {};
}

void add(Need need, Needs& needs, std::set<Feature>& features) {
    switch (need) {
        case Need::kQueue:
            ++needs.queues;
            break;
        case Need::kDevice:
            needs.where = Where::kDevice;
            break;
        case Need::kFaults:
            needs.faults = true;
            break;
        case Need::kOutages:
            needs.outages = true;
            break;
        case Need::kFlowRules:
            needs.flow_rules = true;
            break;
        case Need::kEmulated:
            needs.emulated = true;
            break;
        case Need::kNodev:
            features.insert(Feature::kNodev);
            break;
        case Need::kEvents:
            features.insert(Feature::kEvents);
            break;
        case Need::kRxBufferSize:
            features.insert(Feature::kRxBufferSize);
            break;
        case Need::kCqeMixed:
            features.insert(Feature::kCqeMixed);
            break;
        case Need::kAddArea:
            features.insert(Feature::kAddArea);
            break;
        case Need::kExport:
            features.insert(Feature::kExport);
            break;
        case Need::kFlushRq:
            features.insert(Feature::kFlushRq);
            break;
    }
}

}  // namespace

Needs needs_of(const ActionList& list) {
    Needs needs;
    std::set<Feature> features;
    for (const Action& action : list.actions)
        if (const NeedsOf* needs_of_verb = row_of(action.verb).needs.how())
            for (const Need need : (*needs_of_verb)(action)) add(need, needs, features);
    needs.features.assign(features.begin(), features.end());
    return needs;
}

Result<void> add_action_lists(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return add_file(path);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path, error))
        if (entry.path().extension() == kSuffix) files.push_back(entry.path());
    if (error || files.empty()) return Error{ENOENT, "There is no *.actions below " + path + "."};
    std::ranges::sort(files);
    for (const fs::path& file : files)
        if (auto added = add_file(file); !added) return added;
    return {};
}

}  // namespace zcrxlab
