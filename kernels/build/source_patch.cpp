// Reads the head of a patch and the file names in it.
#include "kernels/build/source_patch.hpp"

#include <algorithm>
#include <sstream>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// "b/io_uring/zcrx.c<tab>date" as "io_uring/zcrx.c"; empty if it leads elsewhere.
std::string path_in(const std::string& header) {
    const std::string name = header.substr(0, header.find('\t'));
    const size_t slash = name.find('/');
    if (slash == 0 || slash == std::string::npos) return {};
    const fs::path path = name.substr(slash + 1);
    if (path.empty() || path.is_absolute() || std::ranges::find(path, "..") != path.end())
        return {};
    return path.string();
}

bool is_title(const std::string& line) {
    return !line.empty() && !line.starts_with("SPDX-") && !line.starts_with("From ") &&
           !line.starts_with("From:") && !line.starts_with("Date:") && line[0] != '#';
}

std::string without_subject(const std::string& line) {
    constexpr std::string_view kSubject = "Subject: ";
    if (!line.starts_with(kSubject)) return line;
    const size_t bracket = line.find("] ");
    return line.substr(bracket == std::string::npos ? kSubject.size() : bracket + 2);
}

}  // namespace

Result<SourcePatch> parse_source_patch(std::string_view text, const fs::path& file) {
    SourcePatch patch;
    patch.file = fs::absolute(file);
    std::istringstream stream{std::string(text)};
    std::string line, before;
    bool in_head = true;
    for (; std::getline(stream, line); before = line) {
        if (line.starts_with("--- ") || line.starts_with("diff ") || line == "---") in_head = false;
        if (in_head && patch.title.empty() && is_title(line)) patch.title = without_subject(line);
        if (!line.starts_with("+++ ") || !before.starts_with("--- ")) continue;
        const std::string path = path_in(line.substr(4));
        if (path.empty() || before.starts_with("--- /dev/null"))
            return Error{EINVAL, file.string() +
                                     " makes or removes a file, or names none of a "
                                     "kernel tree: " +
                                     line};
        if (std::ranges::find(patch.sources, path) == patch.sources.end())
            patch.sources.push_back(path);
    }
    if (patch.sources.empty())
        return Error{EINVAL, file.string() + " is no patch; \"git diff\" makes one."};
    if (patch.title.empty()) patch.title = file.filename().string();
    return patch;
}

}  // namespace zcrxlab
