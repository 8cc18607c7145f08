// Looks through the folders of PATH.
#include "kernels/build/build_tools.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace zcrxlab {
namespace {

bool is_in(std::string_view path, std::string_view tool) {
    while (!path.empty()) {
        const size_t end = path.find(':');
        const std::string_view folder = path.substr(0, end);
        const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, tool);
        if (::access(file.c_str(), X_OK) == 0) return true;
        if (end == std::string_view::npos) return false;
        path.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace

std::vector<std::string_view> kernel_build_tools() {
    return {"make", "gcc", "ld", "flex", "bison", "bc"};
}

Result<void> check_build_tools(const std::vector<std::string_view>& tools, std::string_view path) {
    std::string missing;
    for (const std::string_view tool : tools)
        if (!is_in(path, tool)) missing += (missing.empty() ? "" : ", ") + std::string(tool);
    if (missing.empty()) return {};
    return Error{ENOENT, fmt::format("A kernel cannot be built here; missing: {}. Type: "
                                     "ci/install-packages kernel",
                                     missing)};
}

}  // namespace zcrxlab
