// Reads action files, and gives them names in the guest.
#include "lists/language/action_files.hpp"

#include <algorithm>

#include "harness/base/file.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargest = 64U << 20;

}  // namespace

Result<ActionList> read_actions(const fs::path& path) {
    const Result<std::string> text = read_file(path, kLargest);
    if (!text) return text.error();
    Result<ActionList> list = actions_from_text(*text);
    if (!list) return Error{EINVAL, path.string() + ": " + list.error().sentence};
    if (list->actions.empty())
        return Error{EINVAL, path.string() +
                                 " has no action; \"zcrxlab run --help\" tells how one "
                                 "is written."};
    return list;
}

Result<std::vector<std::pair<std::string, std::string>>> action_files(const fs::path& path) {
    std::vector<fs::path> paths;
    std::error_code error;
    if (fs::is_directory(path, error)) {
        fs::recursive_directory_iterator entry(path, error);
        for (; !error && entry != fs::end(entry); entry.increment(error))
            if (entry->path().extension() == kActionsSuffix) paths.push_back(entry->path());
        if (error) return Error{error.value(), path.string() + ": " + error.message()};
        std::ranges::sort(paths);
        if (paths.empty())
            return Error{ENOENT, "There is no *" + std::string(kActionsSuffix) + " below " +
                                     path.string() + "."};
    } else {
        paths.push_back(path);
    }
    std::vector<std::pair<std::string, std::string>> files;
    for (const fs::path& file : paths) {
        const Result<ActionList> list = read_actions(file);
        if (!list) return list.error();
        const std::string in_guest =
            std::string(kActionsInGuest) + "/" + file.stem().string() + kActionsSuffix;
        if (std::ranges::any_of(files, [&](const auto& other) { return other.second == in_guest; }))
            return Error{EEXIST, file.string() + ": another list below " + path.string() +
                                     " has this name, too; rename one."};
        files.emplace_back(to_text(*list), in_guest);
    }
    return files;
}

}  // namespace zcrxlab
