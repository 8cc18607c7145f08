// Files of /sys and /proc.
#include "harness/lab/sysfs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/base/fd.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

// An attribute of a device may refuse to be read (the speed of a port that is down); a stream would
// throw.
std::string sysfs_bytes(const fs::path& file) {
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::string bytes;
    std::array<char, 4096> chunk;
    ssize_t got = 0;
    while (fd && (got = ::read(fd.get(), chunk.data(), chunk.size())) > 0)
        bytes.append(chunk.data(), static_cast<size_t>(got));
    return bytes;
}

std::string sysfs_text(const fs::path& file) {
    std::string text = sysfs_bytes(file);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

long sysfs_number(const fs::path& file) {
    const std::string text = sysfs_text(file);
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
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
