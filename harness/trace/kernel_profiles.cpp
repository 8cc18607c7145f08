// Reading profiles out of debugfs.
#include "harness/trace/kernel_profiles.hpp"

#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/base/hex.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

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
        const std::string bytes = text_of_file(it->path());
        if (!bytes.empty()) take(it->path().lexically_relative(folder).string(), hex_of(bytes));
    }
}

}  // namespace zcrxlab
