// Reads files of /sys and /proc.
#include "harness/lab/sysfs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

// An attribute of a device may refuse to be read (the speed of a port that is down).
std::string sysfs_bytes(const fs::path& file) {
    return text_of_file(file);
}

std::string sysfs_text(const fs::path& file) {
    std::string text = sysfs_bytes(file);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

long sysfs_number(const fs::path& file) {
    return number_from<long>(sysfs_text(file)).value_or(0);
}

std::string sysfs_link(const fs::path& link) {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    return error ? std::string() : target.filename().string();
}

std::vector<std::string> sysfs_names(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace zcrxlab
