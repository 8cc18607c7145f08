// Finds programs.
#include "vm/programs.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

namespace zcrxlab {

namespace fs = std::filesystem;

Result<fs::path> own_program(const std::string& name) {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    static constexpr std::array kPlaces{".", "../libexec/zcrxlab"};
    for (const char* place : kPlaces) {
        const fs::path candidate = here / place / name;
        if (fs::is_regular_file(candidate, error)) return fs::weakly_canonical(candidate, error);
    }
    return Error{ENOENT, "A part of zcrxlab was not built: there is no " + name + " in " +
                             here.string() + "; type: ninja -C " + here.parent_path().string()};
}

fs::path host_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return ::access(name.c_str(), R_OK) == 0 ? name : "";
    const char* path = std::getenv("PATH");
    // ip, ss and ethtool are where a user's PATH often does not look.
    std::istringstream folders(std::string(path != nullptr ? path : "") +
                               ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        fs::path candidate = fs::path(folder) / name;
        std::error_code error;
        if (!folder.empty() && fs::is_regular_file(candidate, error)) return candidate;
    }
    return {};
}

}  // namespace zcrxlab
