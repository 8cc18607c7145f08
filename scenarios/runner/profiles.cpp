// Reading profiles out of debugfs.
#include "scenarios/runner/profiles.hpp"

#include <fstream>
#include <iterator>
#include <string>

namespace zcrxlab {

namespace fs = std::filesystem;

void report_profiles(const fs::path& folder, ReportSink& sink) {
    std::error_code code;
    for (auto it = fs::recursive_directory_iterator(folder, code);
         !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        // Beside each lies a link to the .gcno file, which is on the machine that built the kernel.
        if (it->path().extension() != ".gcda" || it->is_symlink(code)) continue;
        // Files of debugfs tell no size.
        std::ifstream file(it->path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (!bytes.empty())
            sink.profile(it->path().lexically_relative(folder).string(),
                         std::as_bytes(std::span(bytes)));
    }
}

}  // namespace zcrxlab
