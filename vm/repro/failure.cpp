// Failure: list.actions and failure.json.
#include "vm/repro/failure.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace zcrxlab {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Result<std::string> text_of(const fs::path& path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || fs::is_directory(path, error))
        return Error{ENOENT, "There is no file " + path.string() + "."};
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string text_in(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_in(const Json& json, const char* name) {
    std::vector<std::string> texts;
    const auto found = json.find(name);
    if (found == json.end() || !found->is_array()) return texts;
    for (const Json& text : *found)
        if (text.is_string()) texts.push_back(text.get<std::string>());
    return texts;
}

Result<void> write_text(const fs::path& path, const std::string& text) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text << std::flush;
    if (!stream) return error_from_errno("write " + path.string(), errno != 0 ? errno : EIO);
    return {};
}

}  // namespace

Result<Failure> read_failure(const fs::path& what) {
    std::error_code error;
    const bool folder = fs::is_directory(what, error);
    const Result<std::string> text = text_of(folder ? what / kListFile : what);
    if (!text) return text.error();
    Result<ActionList> list = actions_from_text(*text);
    if (!list) return Error{EINVAL, what.string() + ": " + list.error().sentence};
    Failure failure;
    failure.name = (folder ? fs::absolute(what).lexically_normal() : what).stem().string();
    failure.list = *std::move(list);
    if (!folder) return failure;
    const Result<std::string> facts = text_of(what / kFailureFile);
    if (!facts) return facts.error();
    const Json json = Json::parse(*facts, nullptr, false);
    if (!json.is_object())
        return Error{EINVAL, (what / kFailureFile).string() + " is no JSON object."};
    failure.kernel = text_in(json, "kernel");
    failure.nic = text_in(json, "nic");
    failure.fingerprint = text_in(json, "fingerprint");
    failure.message = text_in(json, "message");
    failure.splat = text_in(json, "splat");
    failure.bad = texts_in(json, "bad");
    failure.good = texts_in(json, "good");
    return failure;
}

Result<void> write_failure(const Failure& failure, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return Error{error.value(), "Cannot make the folder " + folder.string() + "."};
    const Json json = {{"kernel", failure.kernel},
                       {"nic", failure.nic},
                       {"fingerprint", failure.fingerprint},
                       {"message", failure.message},
                       {"splat", failure.splat},
                       {"bad", failure.bad},
                       {"good", failure.good}};
    const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (auto written = write_text(folder / kFailureFile, text); !written) return written;
    return write_text(folder / kListFile, to_text(failure.list));
}

}  // namespace zcrxlab
