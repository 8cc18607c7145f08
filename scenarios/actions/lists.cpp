// Lists: reading files, and what their actions need.
#include "scenarios/actions/lists.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "scenarios/actions/stage.hpp"
#include "scenarios/form/scenario.hpp"

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
    scenario.sentence =
        list->comments.empty() ? "a list of actions keeps all invariants" : list->comments.front();
    scenario.terms = Terms(needs_of(*list)).within(kTime);
    scenario.body = [list = *std::move(list)](Scene& scene) { Stage(scene).perform(list); };
    scenario.file = "actions";
    add_scenario(std::move(scenario));
    return {};
}

}  // namespace

Needs needs_of(const ActionList& list) {
    Needs needs;
    std::set<Feature> features;
    for (const Action& action : list.actions) {
        // A kernel that refuses what it does not know is as good as any for a refusal.
        const bool wanted = action.expected() == 0;
        switch (action.verb) {
            case Verb::kRing:
                if (wanted && action.word("cqes") == "mixed") features.insert(Feature::kCqeMixed);
                break;
            case Verb::kRegister:
                // A refused one takes a queue of its own, too.
                if (action.yes("device") && !action.has("queue")) ++needs.queues;
                if (wanted && !action.yes("device")) features.insert(Feature::kNodev);
                if (wanted && (action.word("events") != "none" || action.yes("stats")))
                    features.insert(Feature::kEvents);
                if (wanted && action.number("rx_buf_len") != 0)
                    features.insert(Feature::kRxBufferSize);
                break;
            case Verb::kAddArea:
                features.insert(Feature::kAddArea);
                break;
            case Verb::kExport:
                features.insert(Feature::kExport);
                break;
            case Verb::kFlush:
                features.insert(Feature::kFlushRq);
                break;
            case Verb::kFault:
                needs.where = Where::kDevice;
                needs.faults = true;
                break;
            case Verb::kLink:
            case Verb::kReset:
                needs.where = Where::kDevice;
                needs.faults = needs.outages = true;
                break;
            case Verb::kRemove:
                needs.where = Where::kDevice;
                needs.flow_rules = true;
                // Nobody's real NIC is taken away.
                if (action.word("how") == "device") needs.emulated = true;
                if (action.word("how") == "driver") needs.outages = true;
                break;
            case Verb::kRescan:
            case Verb::kNic:
                needs.where = Where::kDevice;
                break;
            default:
                break;
        }
    }
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
