// Reads and writes list.actions and failure.json.
#include "lists/bundle/failure.hpp"

#include "harness/base/file.hpp"
#include "harness/base/json.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr size_t kLargest = 64U << 20;

}  // namespace

Result<Failure> failure_from(std::string_view list, std::string_view facts) {
    Result<ActionList> actions = actions_from_text(list);
    if (!actions) return actions.error();
    const Result<Json> json = parse_json_object(facts);
    if (!json) return Error{EINVAL, std::string(kFailureFile) + ": " + json.error().sentence + "."};
    Failure failure;
    failure.list = *std::move(actions);
    failure.kernel = get_text(*json, "kernel");
    failure.nic = get_text(*json, "nic");
    failure.fingerprint = get_text(*json, "fingerprint");
    failure.message = get_text(*json, "message");
    failure.splat = get_text(*json, "splat");
    failure.bad = get_all<std::string>(*json, "bad");
    failure.good = get_all<std::string>(*json, "good");
    for (const Json& one : get_array(*json, "seen"))
        failure.seen.push_back({get_text(one, "form"), get_text(one, "kernel"),
                                get_text(one, "verdict"), get_text(one, "said")});
    return failure;
}

std::string to_json(const Failure& failure) {
    Json seen = Json::array();
    for (const Sighting& one : failure.seen)
        seen.push_back({{"form", one.form},
                        {"kernel", one.kernel},
                        {"verdict", one.verdict},
                        {"said", one.said}});
    return json_text(Json{{"kernel", failure.kernel},
                          {"nic", failure.nic},
                          {"fingerprint", failure.fingerprint},
                          {"message", failure.message},
                          {"splat", failure.splat},
                          {"bad", failure.bad},
                          {"good", failure.good},
                          {"seen", seen}},
                     1) +
           "\n";
}

Result<Failure> read_failure(const fs::path& what) {
    std::error_code error;
    const bool folder = fs::is_directory(what, error);
    const Result<std::string> list = read_file(folder ? what / kListFile : what, kLargest);
    if (!list) return list.error();
    std::string facts = "{}";
    if (folder) {
        Result<std::string> text = read_file(what / kFailureFile, kLargest);
        if (!text) return text.error();
        facts = *std::move(text);
    }
    Result<Failure> failure = failure_from(*list, facts);
    if (!failure) return Error{EINVAL, what.string() + ": " + failure.error().sentence};
    failure->name = (folder ? fs::absolute(what).lexically_normal() : what).stem().string();
    return failure;
}

Result<void> write_failure(const Failure& failure, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return Error{error.value(), "Cannot make the folder " + folder.string() + "."};
    if (auto written = write_file(folder / kFailureFile, to_json(failure)); !written)
        return written;
    return write_file(folder / kListFile, to_text(failure.list));
}

}  // namespace zcrxlab
