// Action files: reading, and names in the guest.
#include "vm/action_files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace zcrxlab {

namespace fs = std::filesystem;

Result<ActionList> read_actions(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return Error{ENOENT, "There is no file " + path.string() + "."};
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{EACCES, "Cannot read " + path.string() + "."};
    Result<ActionList> list =
        actions_from_text(std::string{std::istreambuf_iterator<char>(file), {}});
    if (!list) return Error{EINVAL, path.string() + ": " + list.error().sentence};
    return list;
}

Result<std::vector<std::pair<std::string, std::string>>> action_files(const fs::path& path) {
    std::vector<fs::path> paths;
    std::error_code error;
    if (fs::is_directory(path, error)) {
        for (const auto& entry : fs::directory_iterator(path, error))
            if (entry.path().extension() == kActionsSuffix) paths.push_back(entry.path());
        std::ranges::sort(paths);
        if (paths.empty())
            return Error{ENOENT, "There is no *" + std::string(kActionsSuffix) + " in " +
                                     path.string() + "."};
    } else {
        paths.push_back(path);
    }
    std::vector<std::pair<std::string, std::string>> files;
    for (const fs::path& file : paths) {
        const Result<ActionList> list = read_actions(file);
        if (!list) return list.error();
        files.emplace_back(to_text(*list), std::string(kActionsInGuest) + "/" +
                                               file.stem().string() + kActionsSuffix);
    }
    return files;
}

}  // namespace zcrxlab
