// Reading profiles out of debugfs and sysfs.
#include "harness/trace/kernel_profiles.hpp"

#include <filesystem>
#include <fstream>

#include "harness/base/file.hpp"
#include "harness/base/hex.hpp"
#include "harness/base/kernel_parameters.hpp"

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

void for_each_reached(
    const std::string& folder,
    const std::function<void(const std::string& parameter, const std::string& hex)>& take) {
    std::error_code code;
    for (auto it = fs::directory_iterator(folder, code); !code && it != fs::directory_iterator();
         it.increment(code)) {
        const std::string name = it->path().filename();
        if (!name.starts_with(kReachedParameter)) continue;
        const std::string text = text_of_file(it->path());
        std::ofstream(it->path()) << '0';
        take(name, hex_of(text));
    }
}

}  // namespace zcrxlab
