// Reading profiles out of debugfs.
#include "harness/trace/kernel_profiles.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += kDigits[byte >> 4U];
        hex += kDigits[byte & 15U];
    }
    return hex;
}

}  // namespace

void for_each_profile(
    const std::string& folder,
    const std::function<void(const std::string& object, const std::string& hex)>& take) {
    std::error_code code;
    for (auto it = fs::recursive_directory_iterator(folder, code);
         !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        // Beside each lies a link to the .gcno file, which is on the machine that built the kernel.
        std::error_code ignored;
        if (it->path().extension() != ".gcda" || it->is_symlink(ignored)) continue;
        // Files of debugfs tell no size.
        std::ifstream file(it->path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (!bytes.empty()) take(it->path().lexically_relative(folder).string(), hex_of(bytes));
    }
}

}  // namespace zcrxlab
